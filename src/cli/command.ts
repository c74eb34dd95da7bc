/** The interface of commands: their context, exit status, output and errors. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { formatInstant } from '../util/instant.ts'
import { logLevels } from './settings/setting.ts'
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

/** Resolves to the exit status if it may be another than 0. */
export type Command = (context: CommandContext) => Promise<number | void>

/** A command cannot be carried out; only the message is printed. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** Explains why the modules for agents were not loaded: a checkout may have been installed with `--omit=dev`. */
export function refuseAgents(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
  throw new CommandError('Serving agents needs packages of the full install: run `npm ci` for them.', {
    cause,
  })
}

/** Prints a notice for the operator on standard error, apart from the result. */
export function notify(config: Config, text: string, level: Config['log-level'] = 'info'): void {
  if (isLogged(config, level)) process.stderr.write(`${text}\n`)
}

export function isLogged(config: Config, level: Config['log-level']): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(config['log-level'])
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** A bigint is an instant. */
export function printJson(result: unknown): void {
  print(JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? formatInstant(value) : value)))
}

/** Why a file cannot be read, as part of a sentence. */
export function whyUnreadable({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EISDIR') return 'it is a directory'
  return code === 'ENOENT' ? 'there is no such file' : message
}

/** The content of a file; `what` is said before its name if it cannot be read. */
export function readNamed(file: string, what = ''): Promise<Buffer> {
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`${what}${file} cannot be read: ${whyUnreadable(cause)}.`, { cause })
  })
}

/** The version of the program. `root` is the package's folder. */
export function readVersion(root: URL): string {
  return JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version
}
