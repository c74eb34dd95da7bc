/** Reads values out of a snapshot of metrics. */
import type { MetricValues } from './metrics.ts'

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export function samplesOf(metrics: MetricValues, name: string): readonly Sample[] {
  const values = metrics.find((metric) => metric.name === name)?.values ?? []
  return values.map(({ labels, value }) => ({
    labels: Object.fromEntries(Object.entries(labels).map(([key, label]) => [key, String(label)])),
    value,
  }))
}

/** The value of the only sample with these labels; null without one. */
export function sampleOf(
  metrics: MetricValues,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const found = samplesOf(metrics, name).find((sample) =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return found?.value ?? null
}

export interface Distribution {
  /** Of the histogram's label. */
  readonly label: string
  readonly requests: number
  readonly sum: number
  readonly mean: number
  /** Upper bounds of the buckets with the median, the 95th and the 99th percentile. */
  readonly upTo: readonly number[]
}

/** The series of a histogram, by its label, the largest first. */
export function distributionsOf(metrics: MetricValues, name: string, label: string): readonly Distribution[] {
  const values = metrics.find((metric) => metric.name === name)?.values ?? []
  const series = Map.groupBy(values, ({ labels }) => String(labels[label as keyof typeof labels]))
  const distributions = [...series].map(([each, samples]): Distribution => {
    const valueOf = (suffix: string): number =>
      samples.find((sample) => (sample as { metricName?: string }).metricName === name + suffix)?.value ?? 0
    const [requests, sum] = [valueOf('_count'), valueOf('_sum')]
    const buckets = samples
      .flatMap(({ labels, value }) => {
        const { le } = labels as { le?: string | number }
        return le === undefined ? [] : [{ bound: le === '+Inf' ? Infinity : Number(le), value }]
      })
      .toSorted((one, other) => one.bound - other.bound)
    const upTo = [0.5, 0.95, 0.99].map(
      (part) => buckets.find(({ value }) => value >= part * requests)?.bound ?? Infinity,
    )
    return { label: each, requests, sum, mean: requests === 0 ? 0 : sum / requests, upTo }
  })
  return distributions.toSorted((one, other) => other.requests - one.requests)
}
