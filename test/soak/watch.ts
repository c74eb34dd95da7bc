/** Looks at a server's processes again and again, and says in the end whether anything grew that must not. */
import { moment } from '../support/until.ts'
import { type Held, lookAt, type Role } from './processes.ts'

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

export interface Bounds {
  /** Megabytes and share by which the last third may be above the middle one. */
  readonly growth: { readonly megabytes: number; readonly share: number }
  /** Megabytes of all processes together. */
  readonly memory: number
  readonly descriptors: number
  readonly processes: number
  /** Megabytes of what is written and not yet in the database's file. */
  readonly log: number
}

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

  problems({ growth, memory, descriptors, processes }: Bounds): readonly string[] {
    return this.growth().flatMap((one) => {
      const { role, middle, last } = one
      const most = middle * (1 + growth.share) + growth.megabytes
      const all = role === 'all'
      return [
        last > most && `The memory of ${role} grew from ${middle.toFixed(0)} to ${last.toFixed(0)} MB.`,
        all && one.most > memory && `All processes together held ${one.most.toFixed(0)} MB.`,
        one.descriptors > descriptors && `One ${role} had ${one.descriptors} descriptors.`,
        all && one.processes > processes && `There were ${one.processes} processes.`,
      ].filter((problem) => problem !== false)
    })
  }
}

function least(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0
}
