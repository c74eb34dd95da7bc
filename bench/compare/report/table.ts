/** Figures as tables of text: what the command prints, and what the page has. */
import type { Results, WorkersFigures } from '../results.ts'
import { format, goalsOf, limitOf, ratioOf } from './goals.ts'

/** The first row is the head; all are texts. */
export type Table = readonly (readonly string[])[]

export function printTable(results: Results): void {
  const differing = results.questions.flatMap(({ name, answers }) =>
    Object.entries(answers).flatMap(([system, said]) =>
      said === 'same' ? [] : [`${name}, ${system}: ${said}`],
    ),
  )
  const goals = goalsOf(results).filter(({ holds }) => holds !== null)
  const missed = goals.filter(({ holds }) => holds === false)
  const parts = [
    plain(medians(results)),
    plain(rates(results)),
    plain(resources(results)),
    ...(differing.length > 0 ? [`Answers that are not the same:\n${differing.join('\n')}`] : []),
    `${goals.length - missed.length} of ${goals.length} goals that were measured are reached.`,
    ...(missed.length > 0
      ? [
          plain([
            ['missed', 'asked', 'reached'],
            ...missed.map(({ what, asked, reached }) => [what, asked, reached]),
          ]),
        ]
      : []),
  ]
  console.log(parts.join('\n\n'))
}

/** Milliseconds at one connection. */
export function medians(results: Results): Table {
  const systems = compared(results)
  return [
    ['median at 1 connection, ms', ...systems, 'limit'],
    ...results.questions.map(({ name, measured }) => [
      name,
      ...systems.map((system) => format(measured[system]?.[1].median)),
      format(limitOf(results, name)),
    ]),
  ]
}

/** With what ours is to each peer. */
export function rates(results: Results): Table {
  const systems = compared(results)
  const peers = systems.filter((system) => results.systems[system]?.kind === 'peer')
  return [
    ['requests/s at 16 connections', ...systems, ...peers.map((peer) => `× ${peer}`)],
    ...results.questions.map(({ name, measured }) => [
      name,
      ...systems.map((system) => format(measured[system]?.[16].perSecond)),
      ...peers.map((peer) => format(ratioOf(results, name, 'lexigraph-sqlite', peer))),
    ]),
  ]
}

/** Names of the systems that answer from a database; the plots have the others too. */
function compared({ systems }: Results): readonly string[] {
  return Object.keys(systems).filter((system) => systems[system]?.kind !== 'limit')
}

export function resources({ systems }: Results): Table {
  return [
    ['system', 'import, records/s', 'bytes per article', 'start, ms', 'private memory, MB'],
    ...Object.values(systems).map(({ title, load, startTook, memory }) => [
      title,
      format(load?.recordsPerSecond),
      format(load?.bytesPerArticle),
      format(startTook),
      format(memory),
    ]),
  ]
}

export function growing({ growth }: Results): Table {
  const row = (
    what: string,
    of: (figures: Results['growth'][number]) => number | undefined,
  ): readonly string[] => {
    const values = growth.map(of)
    const [one, more] = values
    return [what, ...values.map(format), one === undefined || more === undefined ? '–' : format(more / one)]
  }
  return [
    ['', ...growth.map(({ records }) => `${format(records)} records`), 'ratio'],
    row('import, records/s', ({ load }) => load.recordsPerSecond),
    row('bytes per article', ({ load }) => load.bytesPerArticle),
    row('start to first answer, ms', ({ startTook }) => startTook),
    row('private memory, MB', ({ memory }) => memory),
    ...Object.keys(growth[0]?.medians ?? {}).map((name) =>
      row(`${name}, ms`, ({ medians: all }) => all[name]),
    ),
  ]
}

export function working({ perSecond, gain, idleTail, besideTail }: WorkersFigures): Table {
  return [
    ['', 'one worker', 'two workers'],
    ['Q1, requests/s, a core for each worker and its load of 16 connections', ...perSecond.map(format)],
    ['the same, times that of one', '1', format(gain)],
    ['Q1, p99 at 1 connection, ms', '', format(idleTail)],
    ['the same while one caller asks Q8 and Q12', '', format(besideTail)],
  ]
}

export function markdown([head = [], ...rows]: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = `|---|${head
    .slice(1)
    .map(() => '---:|')
    .join('')}`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

function plain(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  )
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  return table.map((row) => row.map(pad).join('  ')).join('\n')
}
