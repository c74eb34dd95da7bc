/**
 * Looks at a server's processes, found by who started whom, again and again, and says in the end whether anything grew
 * that must not. Reads /proc, so it needs Linux.
 */
import { readFileSync } from 'node:fs'
import { moment } from '../support/until.ts'
import { familyOf, openFiles, writtenMemoryOf } from '../support/processes.ts'

interface Held {
  readonly pid: number
  /** `primary`, `worker` or `reader`: what it was started for. */
  readonly role: Role
  /** Megabytes that it has written and shares with nobody. */
  readonly memory: number
  readonly descriptors: number
}

type Role = 'primary' | 'worker' | 'reader'

export interface Growth {
  readonly role: Role | 'all'
  /**
   * Of the memory of all of that role together, in megabytes: at first, and the least in the middle third and in the
   * last, as a tenth of the looks found. Above that is what waits to be collected, which is more when there is time.
   */
  readonly first: number
  readonly middle: number
  readonly last: number
  readonly most: number
  readonly descriptors: number
  readonly processes: number
}

/** Megabytes and share by which the last third may be above the middle one. */
export interface Bounds {
  readonly megabytes: number
  readonly share: number
}

/** Megabytes of all processes together, descriptors of each, and processes. */
const most = { memory: 2_500, descriptors: 400, processes: 9 }

export class Watch {
  readonly #looks: (readonly Held[])[] = []

  async untilAborted(primary: number, every: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#looks.push(lookAt(primary))
      await moment(every)
    }
  }

  growth(): readonly Growth[] {
    return (['primary', 'worker', 'reader', 'all'] as const).map((role) => {
      const looks = this.#looks.map((held) => held.filter((one) => role === 'all' || one.role === role))
      const memory = looks.map((held) => held.reduce((sum, one) => sum + one.memory, 0))
      const third = Math.floor(memory.length / 3)
      return {
        role,
        first: memory[0] ?? 0,
        middle: least(memory.slice(third, 2 * third)),
        last: least(memory.slice(2 * third)),
        most: Math.max(...memory),
        descriptors: Math.max(0, ...looks.flat().map(({ descriptors }) => descriptors)),
        processes: Math.max(...looks.map((held) => held.length)),
      }
    })
  }

  problems({ megabytes, share }: Bounds): readonly string[] {
    return this.growth().flatMap((one) => {
      const { role, middle, last } = one
      const bound = middle * (1 + share) + megabytes
      const all = role === 'all'
      return [
        last > bound && `The memory of ${role} grew from ${middle.toFixed(0)} to ${last.toFixed(0)} MB.`,
        all && one.most > most.memory && `All processes together held ${one.most.toFixed(0)} MB.`,
        one.descriptors > most.descriptors && `One ${role} had ${one.descriptors} descriptors.`,
        all && one.processes > most.processes && `There were ${one.processes} processes.`,
      ].filter((problem) => problem !== false)
    })
  }
}

function least(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0
}

/** What each held at one moment; one that ended while it was looked at is left out. */
function lookAt(primary: number): readonly Held[] {
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
