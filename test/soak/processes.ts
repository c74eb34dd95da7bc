/** The processes of a server, found by who started whom, and what each of them holds. Reads /proc, so it needs Linux. */
import { readFileSync } from 'node:fs'
import { familyOf, openFiles, writtenMemoryOf } from '../support/processes.ts'

export interface Held {
  readonly pid: number
  /** `primary`, `worker` or `reader`: what it was started for. */
  readonly role: Role
  /** Megabytes that it has written and shares with nobody. */
  readonly memory: number
  readonly descriptors: number
}

export type Role = 'primary' | 'worker' | 'reader'

/** What each held at one moment; one that ended while it was looked at is left out. */
export function lookAt(primary: number): readonly Held[] {
  return familyOf(primary).flatMap((pid): Held[] => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const role = roleOf(pid === primary, line)
      return [{ pid, role, memory: writtenMemoryOf(pid), descriptors: openFiles(pid).length }]
    } catch {
      return []
    }
  })
}

function roleOf(isPrimary: boolean, commandLine: string): Role {
  if (isPrimary) return 'primary'
  return commandLine.includes('query-child') ? 'reader' : 'worker'
}
