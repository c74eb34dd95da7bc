/** What a server and all that it started take of the machine. Reads /proc, so it runs on Linux. */
import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of computing since the start, of threads that are there: to the nanosecond, where /proc/PID/stat has hundredths of a second. */
export function cpuOf(root: number): number {
  return familyOf(root, parents()).reduce((sum, pid) => sum + cpuOfOne(pid), 0)
}

function cpuOfOne(pid: number): number {
  return threadsOf(pid).reduce((sum, thread) => sum + timeOf(thread), 0) / 1e6
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    // It has just ended.
    return []
  }
}

function timeOf(thread: string): number {
  try {
    return Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    // It has just ended.
    return 0
  }
}

/** Megabytes that nobody else has and no file does: pages that are as in their file can be taken back at any time. */
export function privateMemoryOf(root: number): number {
  const kilobytes = familyOf(root, parents()).map((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const of = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
      return of('Private_Dirty')
    } catch {
      // It has just ended.
      return 0
    }
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

/** What started a process. */
export function parentOf(pid: number): number {
  return parents().get(pid) ?? 0
}

/** What a process started itself. */
export function childrenOf(pid: number): readonly number[] {
  return Array.from(parents()).flatMap(([child, parent]) => (parent === pid ? [child] : []))
}

/** By process. */
function parents(): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      // The program's name may hold anything; what follows its closing bracket is numbers.
      found.set(Number(name), Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has just ended.
    }
  }
  return found
}

function familyOf(root: number, all: ReadonlyMap<number, number>): readonly number[] {
  const family = [root]
  for (const member of family) for (const [pid, parent] of all) if (parent === member) family.push(pid)
  return family
}
