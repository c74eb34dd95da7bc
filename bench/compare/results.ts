/** What a run of the comparison found, as it is written to its file: plain data, figures of all rounds as medians. */
import type { Corpus, LoadFigures } from '../support/stores.ts'
import type { Measured } from './load.ts'
import type { QuestionName } from './questions.ts'

export const connections = [1, 16, 64] as const
export type Connections = (typeof connections)[number]

/** Of each system that was measured, by its name in the order of tables. */
export interface Results {
  readonly date: string
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memory: number
    readonly node: string
  }
  readonly corpus: Corpus
  readonly seconds: number
  readonly rounds: number
  readonly systems: Readonly<Record<string, SystemFigures>>
  readonly questions: readonly QuestionFigures[]
  readonly workers: WorkersFigures | null
  readonly growth: readonly GrowthFigures[]
}

export interface SystemFigures {
  readonly title: string
  readonly kind: 'ours' | 'peer' | 'limit'
  readonly engine: 'sqlite' | 'postgres' | null
  /** Null where nothing is loaded. */
  readonly load: LoadFigures | null
  /** Milliseconds from the start of the process to its first answer. */
  readonly startTook: number
  /** Megabytes of private memory, the most that was seen under load. */
  readonly memory: number
}

export interface QuestionFigures {
  readonly name: QuestionName
  readonly title: string
  readonly query: string
  /** Of our answer. */
  readonly bytes: number
  /** Milliseconds of the bare statement with its JSON text, by engine. */
  readonly bare: Readonly<Record<string, number>>
  /** Whether a system says the same as the first one does, or why it cannot be asked. */
  readonly answers: Readonly<Record<string, string>>
  readonly measured: Readonly<Record<string, Readonly<Record<Connections, Measured>>>>
}

/** Of one worker and of two. */
export interface WorkersFigures {
  /** Each with a core that it shares with a load of its own. */
  readonly perSecond: readonly [one: number, two: number]
  /** How many times the requests of one. */
  readonly gain: number
  /** Milliseconds for the slowest of a hundred pages, of an idle server and beside somebody who asks what takes long. */
  readonly idleTail: number
  readonly besideTail: number
}

/** The same records so many times. */
export interface GrowthFigures {
  readonly times: number
  readonly system: string
  readonly records: number
  readonly load: LoadFigures
  readonly startTook: number
  readonly memory: number
  /** Milliseconds at one connection; of needles also in another order than the usual, named so. */
  readonly medians: Readonly<Record<string, number>>
}

export const otherOrder = 'by publishedAt'
