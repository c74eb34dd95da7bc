/** The interface of commands: their context, exit status and errors. */
import type { Config } from './settings/settings.ts'

export interface CommandContext {
  readonly config: Config
  /** The arguments that are not options, such as files. */
  readonly operands: readonly string[]
  /** Settings given explicitly with a value other than the default. */
  readonly given: ReadonlySet<string>
  /** The package's own folder, which contains its lexicons. */
  readonly root: URL
}

/** Resolves to the exit status. */
export type Command = (context: CommandContext) => Promise<number>

/** A command cannot be carried out; only the message is printed. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** Prints a notice for the operator on standard error, apart from the result. */
export function notify(config: Config, text: string): void {
  if (config['log-level'] === 'info' || config['log-level'] === 'debug') process.stderr.write(`${text}\n`)
}
