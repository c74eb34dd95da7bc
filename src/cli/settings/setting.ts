/** What a setting is, and groups of commands that share settings. */
import { type CommandName, commands } from '../command-list.ts'

export interface Setting {
  readonly type: 'text' | 'integer' | 'flag' | 'choice'
  /** Null when the program finds it (as help says), or when it is simply absent. */
  readonly default: string | number | boolean | null
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly string[]
  /** What stands for the value in help; options without one are flags. */
  readonly value?: string
  /** Absent where an environment variable would only surprise. */
  readonly env?: string
  readonly help: string
  /** Where the setting means something else to a command. */
  readonly helpOf?: Partial<Record<CommandName, { readonly value: string; readonly help: string }>>
  readonly commands: readonly CommandName[]
}

export const every = Object.keys(commands) as CommandName[]
export const serving: readonly CommandName[] = ['serve', 'demo']
export const fetching: readonly CommandName[] = ['ingest', 'backfill', 'reconcile']
