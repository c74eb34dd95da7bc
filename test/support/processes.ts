/** Processes below another, as Linux tells them. */
import { readFileSync } from 'node:fs'

export function childrenOf(parent: number): readonly number[] {
  try {
    const file = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    return file.trim().split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended.
    return []
  }
}

/** Whoever adopted it may not have noticed its end yet. */
export function hasEnded(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return true
  }
}

/** By a signal, so that it does nothing until it gets the one that lets it go on. */
export function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ')
}

/** Waits for something, so that what it was doing is done. */
export function isAsleep(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') S ')
}

/** Megabytes that belong to no file, which is what a process has for itself; pages of a database in memory do not count. */
export function privateMemoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}
