/**
 * What a loss of power leaves of a SQLite file: its log up to the last byte that was synced. `strace` tells what a
 * process writes and syncs; what was written to the file itself must have been synced, because nothing else is left out.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Whether the calls of a process can be traced here. */
export const canTrace = existsSync('/usr/bin/strace')

/** Runs `power-loss-child.ts` until it has stored so many batches, takes its power away, and puts what is left at `rest`. */
export async function losePower(
  path: string,
  rest: string,
  { batches, durability }: { readonly batches: number; readonly durability: 'durable' | 'usual' | 'load' },
): Promise<void> {
  const trace = `${rest}.trace`
  const calls = 'openat,write,pwrite64,fsync,fdatasync,ftruncate'
  const child = fileURLToPath(new URL('power-loss-child.ts', import.meta.url))
  const program = [process.execPath, child, path, `${batches}`, durability]
  const traced = spawn('strace', ['-f', '-y', '-e', `trace=${calls}`, '-o', trace, ...program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(traced, 'exit')
  for await (const line of createInterface(traced.stdout)) if (line === `${batches}`) break
  process.kill(-(traced.pid as number), 'SIGKILL')
  await ended
  const called = callsIn(readFileSync(trace, 'utf8'))
  const file = lengthOf(called, path)
  if (file.written > file.synced) throw new Error('The file itself has bytes that were not synced.')
  copyFileSync(path, rest)
  copyFileSync(`${path}-wal`, `${rest}-wal`)
  // A file is found again only when its folder was synced after it was made.
  truncateSync(`${rest}-wal`, isSynced(called, dirname(path)) ? lengthOf(called, `${path}-wal`).synced : 0)
}

/** A line each, in the order in which they began: `strace` splits those that another thread's call came between. */
function callsIn(trace: string): readonly string[] {
  const calls: string[] = []
  /** Where the call is that a thread has not ended. */
  const open = new Map<string, number>()
  for (const line of trace.split('\n')) {
    const [, thread = '', end] = /^(\d+) +(?:<\.\.\. \w+ resumed>(.*))?/.exec(line) ?? []
    const began = open.get(thread)
    if (end !== undefined && began !== undefined) calls[began] += end
    else if (line.endsWith(unfinished)) open.set(thread, calls.push(line.slice(0, -unfinished.length)) - 1)
    else calls.push(line)
  }
  return calls
}

const unfinished = ' <unfinished ...>'

function isSynced(calls: readonly string[], path: string): boolean {
  return calls.some((call) => /^\d+ +f(?:data)?sync\(\d+<([^>]*)>\) += 0$/.exec(call)?.[1] === path)
}

/** Bytes from the start of the file: written, and on the disk for good. */
function lengthOf(calls: readonly string[], path: string) {
  const length = { written: 0, synced: 0 }
  for (const line of calls) {
    const [, call, file] = /^\d+ +(\w+)\(\d+<([^>]*)>/.exec(line) ?? []
    if (file !== path) continue
    if ((call === 'fsync' || call === 'fdatasync') && line.endsWith(' = 0')) length.synced = length.written
    const [, size, offset] = /, (\d+), (\d+)\) += \d+$/.exec(line) ?? []
    if (call === 'pwrite64') length.written = Math.max(length.written, Number(size) + Number(offset))
  }
  return length
}
