import type { ChartSpec } from '../../src/explorer/charts/chart-spec.ts'

/** A chart of three days. */
export function chartSpec(change: Partial<ChartSpec> = {}): ChartSpec {
  return {
    kind: 'bars',
    title: 'Records per day',
    description: 'Highest: 3 (b).',
    locale: 'en',
    noValue: 'no value',
    unit: 'number',
    keyLabel: 'Day',
    valueLabel: 'Records',
    isOrdered: true,
    isStacked: true,
    keys: ['a', 'b', 'c'].map((label) => ({ label, href: `/c/x?day=${label}&lang=en` })),
    series: [{ name: 'Records', values: [1, 3, 2], hrefs: [] }],
    ...change,
  }
}
