/** What a command is given and what it may end with. */
import type { Config } from './settings/settings.ts'

export interface CommandContext {
  readonly config: Config
  /** What the command is applied to, such as files. */
  readonly operands: readonly string[]
  /** Settings that somebody gave, where a default does not say the same. */
  readonly given: ReadonlySet<string>
  /** The package's own folder, with its lexicons. */
  readonly root: URL
}

/** Resolves to the exit status. */
export type Command = (context: CommandContext) => Promise<number>

/** The command cannot be done; the message is all that is printed. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** Something to say to the operator, not part of the result. */
export function notify(config: Config, text: string): void {
  if (config['log-level'] === 'info' || config['log-level'] === 'debug') process.stderr.write(`${text}\n`)
}
