/** The processes of a server, found by who started whom, and what each of them holds. Reads /proc, so it needs Linux. */
import { readdirSync, readFileSync } from 'node:fs'

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
  return [primary, ...below(primary)].flatMap((pid): Held[] => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const descriptors = readdirSync(`/proc/${pid}/fd`).length
      return [{ pid, role: roleOf(pid === primary, line), memory: ownMegabytes(rollup), descriptors }]
    } catch {
      return []
    }
  })
}

function roleOf(isPrimary: boolean, commandLine: string): Role {
  if (isPrimary) return 'primary'
  return commandLine.includes('query-child') ? 'reader' : 'worker'
}

/** Without pages of files, of which the system keeps as many in memory as it has room for. */
function ownMegabytes(rollup: string): number {
  return Number(/^Private_Dirty:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
}

function below(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent !== null) parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
  }
  const found = [...(parents.get(pid) ?? [])]
  for (const one of found) found.push(...(parents.get(one) ?? []))
  return found
}

/** Null for one that has ended. */
function parentOf(name: string): number | null {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : Number(parent)
  } catch {
    return null
  }
}
