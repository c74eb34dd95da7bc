/** The program: runs a command, and turns errors into a sentence and an exit status: 1 for a failure, 2 for misuse. */
import { InputError } from '../ingest/sources/files/lines.ts'
import { UsageError } from '../errors.ts'
import { nearest } from '../util/text/nearest.ts'
import { diskAdvice, endOnLostOutput } from './closed-pipe.ts'
import { type Command, CommandError, notify, readVersion, refuseAgents } from './command.ts'
import { type ParsedConfig, parseConfig } from './settings/config.ts'
import { renderCommandHelp, renderProgramHelp } from './help.ts'
import { type CommandName, commands } from './command-list.ts'
import { ReplacedFileError } from '../database/refusals.ts'
import { createdFiles } from '../database/sqlite/connection.ts'
import { watchFile } from './store/file-watch.ts'
import { trustedProxiesOf } from './settings/inputs.ts'
import type { Config } from './settings/settings.ts'

/** Loaded on demand, so that `--help` does not wait for modules that only `serve` needs. */
const load: Record<CommandName, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serving/serve.ts')).serve,
  import: async () => (await import('./commands/records/import.ts')).importFiles,
  ingest: async () => (await import('./commands/records/ingest.ts')).ingest,
  backfill: async () => (await import('./commands/records/backfill.ts')).backfill,
  reconcile: async () => (await import('./commands/records/backfill.ts')).reconcile,
  status: async () => (await import('./commands/serving/status.ts')).status,
  rejections: async () => (await import('./commands/records/rejections.ts')).rejections,
  keys: async () => (await import('./commands/serving/keys.ts')).keys,
  hide: async () => (await import('./commands/records/hide.ts')).hide,
  purge: async () => (await import('./commands/records/purge.ts')).purge,
  export: async () => (await import('./commands/records/export.ts')).exportRecords,
  copy: async () => (await import('./commands/records/copy.ts')).copy,
  backup: async () => (await import('./commands/records/backup.ts')).backup,
  restore: async () => (await import('./commands/records/copy.ts')).restore,
  schema: async () => (await import('./commands/serving/schema.ts')).schema,
  query: async () => (await import('./commands/serving/operation.ts')).query,
  explain: async () => (await import('./commands/serving/operation.ts')).explain,
  check: async () => (await import('./commands/records/check.ts')).check,
  demo: async () => (await import('./commands/serving/demo.ts')).demo,
  mcp: async () => (await import('./commands/serving/mcp.ts').catch(refuseAgents)).mcp,
}

/** Commands that use no file of `--database`, and `serve`, which ends in an order of its own. */
const unwatched: readonly CommandName[] = ['copy', 'demo', 'mcp', 'schema', 'serve']

/** `root` is the package's folder, which only the entry file knows. */
export async function main(root: URL): Promise<void> {
  endOnLostOutput()
  const [name, ...rest] = process.argv.slice(2)
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const topic = name === 'help' ? rest[0] : undefined
    if (topic !== undefined && !isCommand(topic)) return complain([unknownCommand(topic)])
    process.stdout.write(topic === undefined ? renderProgramHelp() : renderCommandHelp(topic))
    process.exitCode = name === undefined ? 2 : 0
  } else if (name === '--version' || name === '-V') {
    process.stdout.write(`${readVersion(root)}\n`)
  } else if (!isCommand(name)) {
    complain([unknownCommand(name)])
  } else {
    await runCommand(name, parseConfig(name, rest, process.env), root)
  }
}

async function runCommand(name: CommandName, parsed: ParsedConfig, root: URL): Promise<void> {
  const { config, operands, given } = parsed
  if (config.help) {
    process.stdout.write(renderCommandHelp(name))
    return
  }
  // The value of an unknown option may be among the operands.
  const problems = parsed.problems.length > 0 ? parsed.problems : operandProblems(name, operands)
  if (problems.length > 0) return complain(problems)
  try {
    // Validated here, because only workers, which are other processes, use it.
    await trustedProxiesOf(config)
    using _file = unwatched.includes(name) ? null : watchFile(config)
    const command = await load[name]()
    process.exitCode = (await command({ config, operands, given, root })) ?? 0
  } catch (error) {
    const isUsage = error instanceof UsageError
    const expected = [UsageError, CommandError, InputError, ReplacedFileError].some(
      (kind) => error instanceof kind,
    )
    process.stderr.write(`${expected ? '' : `${name} failed: `}${asSentence(error)}\n`)
    if (config['log-level'] === 'debug') console.error(error)
    process.exitCode = isUsage ? 2 : 1
  }
  // `backfill` of accounts that do not exist ends with 0, and leaves nothing either.
  if (process.exitCode !== 0 || name === 'backfill')
    for (const path of createdFiles) await removeCreated(path, config)
  createdFiles.clear()
}

async function removeCreated(path: string, config: Config): Promise<void> {
  const { removeUnused } = await import('../database/sqlite/remove-unused.ts')
  try {
    if (removeUnused(path))
      notify(config, `The new database ${path} is removed again: nothing was stored in it.`)
  } catch (error) {
    // It is not there, or another process has it open.
    if (config['log-level'] === 'debug') console.error(error)
  }
}

function operandProblems(name: CommandName, operands: readonly string[]): string[] {
  const wanted: string = commands[name][0]
  const help = `\`lexigraph ${name} --help\` says more`
  if (wanted === '' && operands.length > 0)
    return [`${name} takes no ${JSON.stringify(operands[0])}, only options; ${help}.`]
  if (wanted !== '' && !wanted.startsWith('[') && operands.length === 0)
    return [`${name} needs ${wanted}; ${help}.`]
  // Each action of `keys` has its own operands.
  if (operands.length <= 1 || name === 'keys' || wanted.includes('…')) return []
  if (wanted === 'GRAPHQL')
    return [`${name} takes one operation, but ${operands.length} arguments were given; put it in quotes.`]
  const [, more] = operands
  return [`${name} takes ${wanted} alone, and no ${JSON.stringify(more)}; ${help}.`]
}

function unknownCommand(name: string): string {
  const guess = nearest(name, Object.keys(commands))
  const hint = guess === null ? '`lexigraph --help` lists them all.' : `did you mean ${guess}?`
  return `There is no command ${JSON.stringify(name)}; ${hint}`
}

function complain(problems: readonly string[]): void {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 2
}

/** One line for any error; causes are shown with `--log-level debug`. */
function asSentence(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).trim().replaceAll(/\s*\n\s*/g, ' ')
  return `${text}${/[.?!]$/.test(text) ? '' : '.'}${diskAdvice(error)}`
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}
