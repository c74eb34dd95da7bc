/**
 * Counters and histograms that are kept in plain numbers and take the library's form when somebody asks for them: of
 * its own it hashes the labels each time, which for a small request takes as long as reading it does.
 */
import type { Metric, MetricValue, Registry } from 'prom-client'

export interface TallyOptions {
  readonly name: string
  readonly help: string
  readonly registry: Registry
}

/** Adds to what was counted under these values of the labels. */
export type Count = (values: readonly string[], amount?: number) => void

export function createCounter(options: TallyOptions, labels: readonly string[]): Count {
  const counts = new Map<string, { readonly values: readonly string[]; count: number }>()
  register(options, 'counter', labels, () =>
    Array.from(counts.values(), ({ values, count }) => ({
      labels: Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ''])),
      value: count,
    })),
  )
  return (values, amount = 1) => {
    const key = values.join(' ')
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { values, count: amount })
    else known.count += amount
  }
}

/** Adds what was seen under this value of the label. */
export type Observe = (value: string, amount: number) => void

/** `bounds` of the buckets, growing: what is as much as one of them is in its bucket. */
export function createHistogram(options: TallyOptions, label: string, bounds: readonly number[]): Observe {
  const { name } = options
  /** Of each bucket alone, the last without a bound; and the sum of what was seen. */
  const seen = new Map<string, { readonly counts: number[]; sum: number }>()
  register(options, 'histogram', [label], () =>
    Array.from(seen, ([value, { counts, sum }]) => {
      const labels = { [label]: value }
      let total = 0
      const buckets = counts.map((count, index) => {
        total += count
        return {
          metricName: `${name}_bucket`,
          labels: { le: bounds[index] ?? '+Inf', ...labels },
          value: total,
        }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: total },
      ]
    }).flat(),
  )
  return (value, amount) => {
    let tally = seen.get(value)
    if (tally === undefined) {
      tally = { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }
      seen.set(value, tally)
    }
    let bucket = 0
    while (amount > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1
    tally.sum += amount
  }
}

function register(
  { name, help, registry }: TallyOptions,
  type: 'counter' | 'histogram',
  labelNames: readonly string[],
  read: () => readonly MetricValue<string>[],
): void {
  const get = async () => ({ name, help, type, aggregator: 'sum', values: read() })
  // What a registry, and whoever lists what is in it, reads of a metric.
  registry.registerMetric({ name, help, type, labelNames, get } as unknown as Metric)
}
