/** Whether the memory of `ingest` stays flat through the life of an index, and what it is at every twentieth. */
import { setTimeout as pause } from 'node:timers/promises'
import { startProgram } from '../../test/network/service.ts'
import { privateMemoryOf, residentMemoryOf } from '../../test/support/processes.ts'
import { copyStore, settingsFor, type Store } from './live.ts'
import { probed, processOf, startFeeder } from './process.ts'

export interface MemorySample {
  readonly events: number
  readonly seconds: number
  /** Megabytes; the heap is that of all threads, after a collection of garbage. */
  readonly resident: number
  readonly anonymous: number
  readonly heap: number
}

export interface MemoryFigures {
  readonly samples: readonly MemorySample[]
  readonly outcomes: Readonly<Record<string, number>>
  /** Of the last quarter to the first, of what the process holds beside files. */
  readonly anonymousGrowth: number
  readonly heapGrowth: number
}

const parts = 20

export async function measureMemory(
  { file, folder }: Store,
  events: number,
  onSample: (sample: MemorySample) => void,
): Promise<MemoryFigures> {
  await using feeder = await startFeeder('life', events, folder)
  using copy = copyStore(file)
  const options = probed(settingsFor(copy.database, feeder))
  await using program = startProgram(['ingest', '--from', `jetstream:ws://${feeder.host}`], options)
  const pid = await processOf(program)
  const start = performance.now()
  const samples: MemorySample[] = []
  for (let part = 1; part <= parts; part += 1) {
    const due = Math.floor((events * part) / parts)
    // The cursor counts events: they are a microsecond apart.
    while (copy.cursor() < feeder.firstCursor + due - 1) await pause(100)
    const [resident, anonymous] = [residentMemoryOf(pid), privateMemoryOf(pid)]
    process.kill(pid, 'SIGUSR2')
    const heap = Number((await program.said(new RegExp(`probe: heap ${part} (\\d+)`)))[1]) / 1024 / 1024
    const sample = { events: due, seconds: (performance.now() - start) / 1_000, resident, anonymous, heap }
    samples.push(sample)
    onSample(sample)
  }
  if (feeder.connections() > 1) throw new Error('The connection was lost on the way.')
  const growth = (of: 'anonymous' | 'heap'): number => {
    const mean = (some: readonly MemorySample[]): number =>
      some.reduce((sum, sample) => sum + sample[of], 0) / some.length
    return mean(samples.slice(-parts / 4)) / mean(samples.slice(0, parts / 4))
  }
  return {
    samples,
    outcomes: copy.outcomes(),
    anonymousGrowth: growth('anonymous'),
    heapGrowth: growth('heap'),
  }
}
