/** Processes of the bench and what they take of the machine. Reads /proc, so it runs on Linux. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Program, type ProgramOptions } from '../../test/network/service.ts'
import type { FeederReady } from './feeder.ts'
import type { StreamName } from './streams.ts'

/** Settings of a program that is measured. */
export function probed(env: Readonly<Record<string, string>>): ProgramOptions {
  const probe = new URL('./probe.ts', import.meta.url)
  return { env: { ...env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --expose-gc --import ${probe}` } }
}

export async function processOf(program: Program): Promise<number> {
  return Number((await program.said(/probe: process (\d+)/))[1])
}

/** Seconds of computing since the start, by thread: `main`, those of its own in order, and all of the engine's. */
export type CpuTimes = Readonly<Record<string, number>>

export function cpuTimes(pid: number): CpuTimes {
  const times: Record<string, number> = {}
  let threads = 0
  for (const id of readdirSync(`/proc/${pid}/task`).toSorted((a, b) => Number(a) - Number(b))) {
    const [, comm, rest = ''] =
      /\((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ')
    const isMain = Number(id) === pid
    const isOurs = !isMain && /worker/i.test(comm ?? '') && comm !== 'V8Worker' && comm !== 'libuv-worker'
    const name = isMain ? 'main' : isOurs ? `thread ${(threads += 1)}` : 'engine'
    times[name] = (times[name] ?? 0) + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  }
  return times
}

export function difference(before: CpuTimes, after: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(after).map(([name, time]) => [name, time - (before[name] ?? 0)]))
}

export function total(times: CpuTimes): number {
  return Object.values(times).reduce((sum, time) => sum + time, 0)
}

/** Of Linux on all usual machines. */
const ticksPerSecond = 100

export interface Feeder extends AsyncDisposable, FeederReady {
  readonly pid: number
  /** How often somebody has connected. */
  readonly connections: () => number
  /** Whether all has been handed to the network. */
  readonly isDone: () => boolean
}

/** `window`: messages that are under way at most; 0: as many as fit. */
export async function startFeeder(
  stream: StreamName,
  events: number,
  folder: string | null,
  window = 0,
): Promise<Feeder> {
  const program = fileURLToPath(new URL('./feeder.ts', import.meta.url))
  const args = [stream, String(events), String(window), ...(folder === null ? [] : [folder])]
  const child: ChildProcess = fork(program, args)
  let [connections, isDone] = [0, false]
  const ready = Promise.withResolvers<FeederReady>()
  child.on('message', (message) => {
    if (message === 'connected') connections += 1
    else if (message === 'sent') isDone = true
    else ready.resolve(message as FeederReady)
  })
  child.on('exit', () => ready.reject(new Error(`The server of ${stream} has ended.`)))
  return {
    ...(await ready.promise),
    pid: child.pid ?? 0,
    connections: () => connections,
    isDone: () => isDone,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
