/** How many events a source brings in a second while questions are answered, and how long those take then. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { startProgram, startService } from '../../test/network/service.ts'
import { until } from '../../test/support/until.ts'
import { openTiers } from '../support/server.ts'
import { type Latency, startLoad } from './load.ts'
import {
  type CpuTimes,
  cpuTimes,
  difference,
  type Feeder,
  probed,
  processOf,
  startFeeder,
} from './process.ts'
import type { StreamName } from './streams.ts'

export interface LiveSource {
  readonly name: string
  /** As in `--from`; null: nothing is followed, for comparison. */
  readonly kind: 'jetstream' | 'firehose' | 'tap' | null
  readonly stream: StreamName
  /** More than can be read in a second, for the length of the stream. */
  readonly perSecond: number
  /** Messages that wait for their answers at most; 0: any number. */
  readonly window: number
}

/** Tap sends a live event of an account only when the one before is acknowledged; there are fifty accounts. */
export const liveSources: readonly LiveSource[] = [
  { name: 'none', kind: null, stream: 'tap', perSecond: 1, window: 1 },
  { name: 'jetstream v1', kind: 'jetstream', stream: 'jetstream-1', perSecond: 10_000, window: 0 },
  { name: 'jetstream v2', kind: 'jetstream', stream: 'jetstream-2', perSecond: 10_000, window: 0 },
  { name: 'firehose', kind: 'firehose', stream: 'firehose', perSecond: 3_000, window: 0 },
  { name: 'tap, history', kind: 'tap', stream: 'tap', perSecond: 10_000, window: 0 },
  { name: 'tap, live', kind: 'tap', stream: 'tap', perSecond: 10_000, window: 50 },
]

export const layouts = ['serve --ingest', 'serve + ingest'] as const
export type Layout = (typeof layouts)[number]

export interface LiveFigures {
  readonly source: string
  readonly layout: Layout
  readonly seconds: number
  readonly events: number
  readonly eventsPerSecond: number
  /** Milliseconds. */
  readonly answers: Latency
  readonly byQuestion: Readonly<Record<string, Latency>>
  /** Seconds of computing in that time. With `serve --ingest` all is in `ingest`. */
  readonly cpu: {
    readonly ingest: CpuTimes
    readonly serve: CpuTimes
    readonly feeder: CpuTimes
    readonly bench: CpuTimes
  }
}

export interface Store {
  readonly file: string
  /** Of an article in it. */
  readonly uri: string
  /** The corpus, for streams. */
  readonly folder: string | null
}

/** Not measured: until all that is hot has been compiled. */
const warmUpSeconds = 5

export async function measureLive(
  { name, kind, stream, perSecond, window }: LiveSource,
  layout: Layout,
  { file, uri, folder }: Store,
  seconds: number,
): Promise<LiveFigures> {
  await using feeder = await startFeeder(stream, perSecond * (warmUpSeconds + seconds), folder, window)
  using copy = copyStore(file)
  const from = `${kind}:${kind === 'tap' ? 'http' : 'ws'}://${feeder.host}`
  const options = probed(settingsFor(copy.database, feeder))
  const alone = kind === null || layout === 'serve + ingest'
  await using service = await startService(['serve', ...(alone ? [] : ['--ingest', from])], options)
  await using beside = kind === null || !alone ? null : startProgram(['ingest', '--from', from], options)
  const ingestPid = await processOf(beside ?? service)
  const servePid = await processOf(service)
  const load = startLoad(service.url, uri)
  if (kind !== null) await until(() => copy.applied() > 0)
  await pause(warmUpSeconds * 1_000)

  load.reset()
  const cpu = () => ({
    ingest: cpuTimes(ingestPid),
    serve: servePid === ingestPid ? {} : cpuTimes(servePid),
    feeder: cpuTimes(feeder.pid),
    bench: cpuTimes(process.pid),
  })
  const before = { at: performance.now(), applied: copy.applied(), cpu: cpu() }
  const end = before.at + seconds * 1_000
  while (performance.now() < end && !feeder.isDone()) await pause(100)
  const after = { at: performance.now(), applied: copy.applied(), cpu: cpu() }
  const { all, byQuestion } = load.latencies()
  await load.stop()

  if (feeder.connections() > 1) throw new Error(`${name}: the connection was lost on the way.`)
  const events = after.applied - before.applied
  const elapsed = (after.at - before.at) / 1_000
  const used = (of: keyof LiveFigures['cpu']): CpuTimes => difference(before.cpu[of], after.cpu[of])
  return {
    source: name,
    layout,
    seconds: elapsed,
    events,
    eventsPerSecond: events / elapsed,
    answers: all,
    byQuestion,
    cpu: { ingest: used('ingest'), serve: used('serve'), feeder: used('feeder'), bench: used('bench') },
  }
}

export interface StoreCopy extends Disposable {
  readonly database: string
  /** Records whose fate is settled, whatever it is. */
  readonly applied: () => number
  /** The same by what became of them. */
  readonly outcomes: () => Readonly<Record<string, number>>
  /** Where its source stands. */
  readonly cursor: () => number
}

export function copyStore(file: string): StoreCopy {
  const folder = mkdtempSync(join(tmpdir(), 'lexigraph-bench-'))
  const database = join(folder, 'bench.db')
  copyFileSync(file, database)
  const reading = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  return {
    database,
    applied: () => Number(reading.prepare('select sum(records) as n from outcome').get()?.n ?? 0),
    outcomes: () => {
      const rows = reading.prepare('select outcome, sum(records) as n from outcome group by 1').all()
      return Object.fromEntries(rows.map(({ outcome, n }) => [String(outcome), Number(n)]))
    },
    cursor: () => Number(reading.prepare('select cursor from source').get()?.cursor ?? 0),
    [Symbol.dispose]: () => {
      reading.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Everything on the network that is not the stream itself is the feeder's too. */
export function settingsFor(database: string, { plcUrl, host }: Feeder): Readonly<Record<string, string>> {
  return {
    LEXIGRAPH_DATABASE: database,
    LEXIGRAPH_PLC: plcUrl,
    LEXIGRAPH_HANDLE_RESOLVER: `http://${host}`,
    LEXIGRAPH_LOG_LEVEL: 'info',
    LEXIGRAPH_TIERS: openTiers,
  }
}
