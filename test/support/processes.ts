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
