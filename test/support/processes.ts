/** Processes and what they take, as Linux tells it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What a process has started and not yet seen the end of; nothing where the system does not say. */
export function childrenOf(pid: number): readonly number[] {
  const threads = unlessEnded([], () => readdirSync(`/proc/${pid}/task`))
  return threads.flatMap((thread) => {
    const text = unlessEnded('', () => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'))
    return text.split(' ').filter(Boolean).map(Number)
  })
}

/** A process and all below it. */
export function familyOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}

/** Of a process and all below it; one that ends while it is looked at counts nothing. */
export function sumOfFamily(root: number, of: (pid: number) => number): number {
  return familyOf(root).reduce((sum, pid) => sum + unlessEnded(0, () => of(pid)), 0)
}

/** Its state and command line, such as "S node bin/lexigraph.js serve". */
export function commandOf(pid: number): string {
  const text = unlessEnded('', () => `${statOf(pid)[0]} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}`)
  return text.replaceAll('\0', ' ')
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1])
}

/** Whoever adopted it may not have noticed its end yet. */
export function hasEnded(pid: number): boolean {
  return unlessEnded('Z', () => statOf(pid)[0]) === 'Z'
}

/** A process may end before the signal reaches it. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** By a signal, so that it does nothing until it gets the one that lets it go on. */
export function isStopped(pid: number): boolean {
  return statOf(pid)[0] === 'T'
}

/** Waits for something, so that what it was doing is done. */
export function isAsleep(pid: number): boolean {
  return statOf(pid)[0] === 'S'
}

/** Megabytes in memory. */
export function residentMemoryOf(pid: number): number {
  return megabytesIn(`/proc/${pid}/status`, 'VmRSS')
}

/** Megabytes that belong to no file, which is what a process has for itself; pages of a database in memory do not count. */
export function privateMemoryOf(pid: number): number {
  return megabytesIn(`/proc/${pid}/status`, 'RssAnon')
}

/** Megabytes that a process has written and shares with nobody. Exact, and takes a large process milliseconds. */
export function writtenMemoryOf(pid: number): number {
  return megabytesIn(`/proc/${pid}/smaps_rollup`, 'Private_Dirty')
}

/** Files and connections that are open, as Linux names them. */
export function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => unlessEnded([], () => [readlinkSync(`${folder}/${name}`)]))
}

/** Hundredths of a second that it has worked. */
export function workOf(pid: number): number {
  const [user, system] = statOf(pid).slice(11, 13)
  return Number(user) + Number(system)
}

/** What `/proc/PID/stat` has behind the name, from the state on. */
export function statOf(pid: number): readonly string[] {
  // The name may have spaces and brackets in it.
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
}

function megabytesIn(file: string, name: string): number {
  const text = readFileSync(file, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024
}

/** A process may end while it is looked at. */
function unlessEnded<Found>(otherwise: Found, look: () => Found): Found {
  try {
    return look()
  } catch {
    return otherwise
  }
}
