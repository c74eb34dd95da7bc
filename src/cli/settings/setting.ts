/** The type of settings, and groups of commands that share settings. */
import { type CommandName, commands } from '../command-list.ts'

export interface Setting {
  /** Absent when the program determines it (as help says), or when the setting is optional. */
  readonly default?: string | number
  /** Absent for 0. */
  readonly min?: number
  /** A setting with a maximum is a whole number, one with `choices` is one of them, and others are texts. */
  readonly max?: number
  readonly choices?: readonly string[]
  /** The placeholder of the value in help; options without one are flags. */
  readonly value?: string
  /** Absent for the usual variable; null for none. */
  readonly env?: string | null
  readonly help: string
  /** Help for commands that use the setting differently. */
  readonly helpOf?: Partial<Record<CommandName, { readonly value: string; readonly help: string }>>
  /** Absent for `serving`. */
  readonly commands?: readonly CommandName[]
}

export const every = Object.keys(commands) as CommandName[]
export function everyExcept(...others: readonly CommandName[]): readonly CommandName[] {
  return every.filter((command) => !others.includes(command))
}
export const serving: readonly CommandName[] = ['serve', 'demo']
export const fetching: readonly CommandName[] = ['ingest', 'backfill', 'reconcile']

/** From the fewest messages to the most. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
