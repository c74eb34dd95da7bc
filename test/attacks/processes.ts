/** What processes take, as Linux tells it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** This one and all that it began. */
export function familyOf(pid: number): readonly number[] {
  const children = orNothing(() =>
    readdirSync(`/proc/${pid}/task`).flatMap((task) => wordsOf(`/proc/${pid}/task/${task}/children`)),
  )
  return [pid, ...(children ?? []).flatMap((child) => familyOf(Number(child)))]
}

/** Megabytes in memory. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Files and connections that are open, as Linux names them. */
export function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => orNothing(() => readlinkSync(`${folder}/${name}`)) ?? [])
}

/** Hundredths of a second that it has worked; none of one that has ended. */
export function workOf(pid: number): number {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name, which comes before, may have spaces in it.
  const [, , , , , , , , , , , user, system] = stat?.replace(/^.*\) /, '').split(' ') ?? []
  return Number(user ?? 0) + Number(system ?? 0)
}

function wordsOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split(' ')
    .filter((word) => word !== '')
}

/** A process may end while it is looked at. */
function orNothing<Found>(look: () => Found): Found | null {
  try {
    return look()
  } catch {
    return null
  }
}
