/** The page for operators at the address of the metrics: what is asked, how fast, at what cost, and what comes in. */
import { html, type Html, toText } from '../../explorer/html.ts'
import type { Activity, DocumentActivity, SlowOperation } from './activity.ts'
import type { IndexReadings } from './metrics-index.ts'
import type { MetricValues } from './metrics.ts'
import { distributionsOf, sampleOf, samplesOf } from './metric-samples.ts'

export interface OperationsGiven {
  /** Of all processes. */
  readonly metrics: MetricValues
  readonly activity: Activity
  /** Null while the database cannot be read. */
  readonly index: IndexReadings | null
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Seconds until the page loads itself again. */
const refresh = 30

export function operationsPage({ metrics, activity, index, now }: OperationsGiven): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta http-equiv="refresh" content=${refresh} />
      <meta name="robots" content="noindex" />
      <title>Lexigraph: operations</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/operations.css" />
    </head>
    <body>
      <h1>Operations</h1>
      <p>${new Date(now).toISOString()}, since the start of the processes. <a href="/metrics">Metrics for Prometheus</a></p>
      <main>
        ${requests(metrics)} ${latencies(metrics)} ${costs(metrics)} ${answers(metrics)}
        ${
          index === null
            ? html`<section><h2>Index</h2><p>The database cannot be read.</p></section>`
            : [sources(index), collections(index), refused(index)]
        }
        ${documents('Most frequent documents', activity.documents, ({ requests: count }) => count)}
        ${documents('Documents that took the most time', activity.documents, ({ duration }) => duration)}
        ${slow(activity.slow)}
      </main>
    </body>
  </html>`
  return `<!doctype html>${toText(page)}`
}

function requests(metrics: MetricValues): Html {
  const rows = samplesOf(metrics, 'lexigraph_requests_total')
    .toSorted((one, other) => other.value - one.value)
    .map(({ labels, value }) => [labels['tier'], labels['outcome'], count(value)])
  const inFlight = sampleOf(metrics, 'lexigraph_requests_in_flight')
  const live = sampleOf(metrics, 'lexigraph_workers', { state: 'live' })
  const note = `${count(inFlight ?? 0)} in flight${live === null ? '' : `, ${count(live)} workers`}`
  return table('Requests', ['tier', 'outcome', 'requests'], rows, note)
}

function latencies(metrics: MetricValues): Html {
  const rows = distributionsOf(metrics, 'lexigraph_request_duration_seconds', 'tier').map(
    ({ label, requests: all, mean, upTo }) => [label, count(all), seconds(mean), ...upTo.map(bound)],
  )
  return table('Latency', ['tier', 'requests', 'mean', 'p50', 'p95', 'p99'], rows)
}

function costs(metrics: MetricValues): Html {
  const rows = distributionsOf(metrics, 'lexigraph_operation_points', 'tier').map(
    ({ label, requests: all, mean, sum }) => [label, count(all), count(sum), mean.toFixed(1)],
  )
  return table('Cost', ['tier', 'operations', 'points', 'mean'], rows)
}

function answers(metrics: MetricValues): Html {
  const from = samplesOf(metrics, 'lexigraph_answers_total').map(({ labels, value }) => [
    `from ${labels['from']}`,
    count(value),
  ])
  const limits = samplesOf(metrics, 'lexigraph_limits_hit_total').map(({ labels, value }) => [
    `limit: ${labels['limit']}`,
    count(value),
  ])
  return table('Answers and limits', ['what', 'requests'], [...from, ...limits])
}

function sources({ status }: IndexReadings): Html {
  const rows = status.sources.map(({ name, state, lagSeconds, eventsPerSecond, detail }) => [
    name,
    state,
    lagSeconds === null ? '–' : `${count(Math.round(lagSeconds))} s`,
    eventsPerSecond.toFixed(1),
    detail ?? '',
  ])
  const { waiting, failed } = status.repositories
  const note = `Repositories: ${count(waiting)} waiting, ${count(failed)} failed`
  return table('Sources', ['source', 'state', 'lag', 'events/s', 'detail'], rows, note)
}

function collections({ status, bytes }: IndexReadings): Html {
  const rows = status.collections.map(({ name, records, rejections }) => [
    name,
    count(records),
    count(rejections),
  ])
  const note = `The database takes ${(bytes / 1e6).toFixed(1)} MB`
  return table('Sizes', ['collection', 'records', 'refused'], rows, note)
}

function refused({ status: { rejections, keptRejections } }: IndexReadings): Html {
  const reasons = Object.entries(rejections)
  const kept = new Map(Object.entries(keptRejections))
  const rows = reasons.map(([reason, all]) => [reason, count(all), count(kept.get(reason) ?? 0)])
  const note = html`<code>lexigraph rejections</code> lists each with its message.`
  return table('Refused records', ['reason', 'ever', 'kept'], rows, note)
}

/** Rows of each table of documents. */
const mostRows = 15

function documents(
  title: string,
  all: readonly DocumentActivity[],
  by: (document: DocumentActivity) => number,
): Html {
  const rows = all
    .toSorted((one, other) => by(other) - by(one))
    .slice(0, mostRows)
    .map(({ document, requests: asked, failures, duration, longest, points }) => [
      document,
      count(asked),
      count(failures),
      seconds(duration / asked / 1_000),
      seconds(longest / 1_000),
      (points / asked).toFixed(1),
    ])
  const heads = ['document', 'requests', 'failures', 'mean', 'longest', 'points']
  return table(title, heads, rows, 'The hash is that of log lines.')
}

function slow(operations: readonly SlowOperation[]): Html {
  return html`<section class="wide">
    <h2>Slow operations</h2>
    ${operations.length === 0 && html`<p>None since the start.</p>`}
    ${operations.map(
      ({ at, document, duration, query, sql, plan }) => html`<details>
        <summary>${new Date(at).toISOString()} · ${document} · ${seconds(duration / 1_000)}</summary>
        <pre tabindex="0">${[query, sql, plan?.join('\n')].filter((text) => text != null).join('\n\n')}</pre>
      </details>`,
    )}
  </section>`
}

function table(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  note: Html = null,
): Html {
  return html`<section>
    <h2>${title}</h2>
    ${note !== null && html`<p>${note}</p>`}
    ${
      rows.length === 0
        ? html`<p>None yet.</p>`
        : html`<div class="scroll"><table>
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell ?? ''}</td>`)}</tr>`)}</tbody>
    </table></div>`
    }
  </section>`
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function seconds(value: number): string {
  return value < 1 ? `${(value * 1_000).toFixed(value < 0.1 ? 1 : 0)} ms` : `${value.toFixed(1)} s`
}

/** The upper bound of a bucket. */
function bound(value: number): string {
  return Number.isFinite(value) ? `≤ ${seconds(value)}` : `> ${seconds(60)}`
}

export const operationsStyles = `
:root { color-scheme: light dark; font: 0.9375rem/1.4 system-ui, sans-serif; }
body { margin: 1rem; }
main { display: grid; gap: 1rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(32rem, 100%), 1fr)); align-items: start; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 0.5rem 0; }
p { margin: 0.25rem 0; }
.wide { grid-column: 1 / -1; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: start; padding: 0.15rem 0.75rem 0.15rem 0; border-block-end: 1px solid light-dark(#ddd, #444); font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`
