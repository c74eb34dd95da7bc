/** `import FILE…`: the progress on standard error, the result on standard output. */
import { SingleBar } from 'cli-progress'
import { type ImportProgress, type ImportResult, importRecords } from '../../ingest/sources/import.ts'
import type { LineInput } from '../../ingest/sources/lines.ts'
import type { CommandContext } from '../command.ts'
import { lexiconDir, loadFoundation, openStore } from '../foundation.ts'
import { findInputs, threadsOf } from '../inputs.ts'
import type { Config } from '../settings.ts'

export async function importFiles({ config, operands, root }: CommandContext): Promise<number> {
  const inputs = await findInputs(operands)
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openStore(config, foundation)
  using progress = showProgress(inputs, config)
  const start = performance.now()
  const result = await importRecords(database.write, inputs, {
    ...foundation,
    maxClockSkew: config['max-clock-skew'],
    workers: threadsOf(config),
    onProgress: progress.update,
    onRead: progress.finish,
  })
  const seconds = (performance.now() - start) / 1000
  process.stdout.write(config.json ? renderJson(result, seconds) : renderTable(result, seconds))
  const refused = refusedOf(result)
  const isFailure = refused > 0 && (config.strict || refused === result.read)
  if (isFailure)
    process.stderr.write(
      `${refused === result.read ? 'Every record was' : `${count(refused)} of ${count(result.read)} records were`} refused; \`lexigraph rejections\` lists them with their reasons.\n`,
    )
  return isFailure ? 1 : 0
}

function refusedOf({ refused }: ImportResult): number {
  return Object.values(refused).reduce((sum, records) => sum + records, 0)
}

interface ProgressDisplay extends Disposable {
  readonly update: (progress: ImportProgress) => void
  readonly finish: () => void
}

/** A bar where somebody watches, nothing elsewhere. */
function showProgress(inputs: readonly LineInput[], config: Config): ProgressDisplay {
  const watched = process.stderr.isTTY && ['info', 'debug'].includes(config['log-level'])
  if (!watched) return { update: () => {}, finish: () => {}, [Symbol.dispose]: () => {} }
  const sizes = inputs.map((input) => input.size)
  const total = sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  const bar = new SingleBar({
    stream: process.stderr,
    format:
      total === null
        ? '{records} records'
        : '{bar} {percentage} % | {records} records | {eta_formatted} left',
    clearOnComplete: true,
    hideCursor: true,
    fps: 5,
  })
  bar.start(total ?? 1, 0, { records: '0' })
  return {
    update: ({ read, consumed }) => bar.update(total === null ? 0 : consumed, { records: count(read) }),
    // The database is about to keep this thread busy, so that nothing could move.
    finish: () => {
      bar.stop()
      process.stderr.write('All is read; indexes are being built.\n')
    },
    [Symbol.dispose]: () => bar.stop(),
  }
}

function renderJson(result: ImportResult, seconds: number): string {
  const rounded = Math.round(seconds * 1000) / 1000
  return `${JSON.stringify({ ...result, seconds: rounded, recordsPerSecond: rate(result, seconds) })}\n`
}

function renderTable(result: ImportResult, seconds: number): string {
  const refused = Object.entries(result.refused)
  const rows: [string, string][] = [
    ['read', count(result.read)],
    ['stored', count(result.stored)],
    ['updated', count(result.updated)],
    ['unchanged', count(result.unchanged)],
    ...(result.older === 0 ? [] : [['older', count(result.older)] satisfies [string, string]]),
    ...(result.withheld === 0 ? [] : [['hidden', count(result.withheld)] satisfies [string, string]]),
    ...(result.purged === 0 ? [] : [['purged', count(result.purged)] satisfies [string, string]]),
    ...(result.expired === 0 ? [] : [['expired', count(result.expired)] satisfies [string, string]]),
    ['refused', count(refusedOf(result))],
    ...refused.map(([reason, records]): [string, string] => [`  ${reason}`, count(records)]),
    ['seconds', seconds.toFixed(1)],
    ['records per second', count(rate(result, seconds))],
  ]
  const names = Math.max(...rows.map(([name]) => name.length))
  const figures = Math.max(...rows.map(([, figure]) => figure.length))
  return rows.map(([name, figure]) => `${name.padEnd(names)}  ${figure.padStart(figures)}\n`).join('')
}

function rate(result: ImportResult, seconds: number): number {
  return Math.round(result.read / Math.max(seconds, 0.001))
}

function count(value: number): string {
  return value.toLocaleString('en')
}
