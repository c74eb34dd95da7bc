/** What a server and all that it started take of the machine. Reads /proc, so it runs on Linux. */
import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of computing since the start. Linux counts them in tens. */
export function cpuOf(root: number): number {
  const all = processes()
  const ticks = familyOf(root, all).reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0)
  return ticks * 10
}

/** Megabytes that nobody else has: without what is shared, such as pages of a file that is mapped by several. */
export function privateMemoryOf(root: number): number {
  const kilobytes = familyOf(root, processes()).map((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const of = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
      return of('Private_Clean') + of('Private_Dirty')
    } catch {
      // It has just ended.
      return 0
    }
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

/** What started a process. */
export function parentOf(pid: number): number {
  return processes().get(pid)?.parent ?? 0
}

interface Process {
  readonly parent: number
  readonly ticks: number
}

function processes(): ReadonlyMap<number, Process> {
  const found = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      // The program's name may hold anything; what follows its closing bracket is numbers.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11]) + Number(fields[12])
      found.set(Number(name), { parent: Number(fields[1]), ticks })
    } catch {
      // It has just ended.
    }
  }
  return found
}

function familyOf(root: number, all: ReadonlyMap<number, Process>): readonly number[] {
  const family = [root]
  for (const member of family) for (const [pid, { parent }] of all) if (parent === member) family.push(pid)
  return family
}
