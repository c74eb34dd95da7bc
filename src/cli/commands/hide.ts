/** `hide`, `unhide` and `hidden`: what operators take out of every answer. */
import { userInfo } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadDatabase } from '../../database/database.ts'
import type { Ledger, Hiding } from '../../database/ledger.ts'
import { whileBusy } from '../../ingest/retries.ts'
import { inLowerCase, parseSubject, type Subject } from '../../lexicon/subject.ts'
import { formatInstant } from '../../util/instant.ts'
import { finishDespiteClosedPipe } from '../closed-pipe.ts'
import { type CommandContext, CommandError } from '../command.ts'
import {
  type Foundation,
  lexiconDir,
  loadFoundation,
  openExistingStore,
  openExistingWriter,
} from '../foundation.ts'
import type { Config } from '../settings.ts'
import { renderTable } from '../table.ts'

/** Rows that one transaction moves, so that whoever ingests need not wait long. */
const rowsAtOnce = 500
/** Milliseconds between two of them: longer than another process rests between its attempts to write. */
const breath = 30

export async function hide({ config, operands, root }: CommandContext): Promise<number> {
  const [text, subject] = subjectOf('hide', operands)
  const reason = reasonOf('hide', config)
  const hiddenBy = operatorOf(config)
  const foundation = await loadFoundation(lexiconDir(config, root))
  await assertBuilt(config, foundation)
  await using database = await openExistingWriter(config, foundation)
  const { ledger } = database.write
  await assertWritten(text, subject, ledger)
  const records = await ledger.hide({ subject: text, reason, hiddenBy })
  if (records === null) {
    const known = await findHiding(text, database.read)
    print(known === undefined ? `${text} is hidden already.` : alreadyHidden(known))
    await settle(ledger)
    return 0
  }
  print(`${text} is hidden.${unserved(subject, foundation)}`)
  await settle(ledger, text)
  print(`${counted(records)} left the answers.`)
  return 0
}

export async function unhide({ config, operands, root }: CommandContext): Promise<number> {
  const [text, subject] = subjectOf('unhide', operands)
  const shownBy = operatorOf(config)
  const foundation = await loadFoundation(lexiconDir(config, root))
  await assertBuilt(config, foundation)
  await using database = await openExistingWriter(config, foundation)
  const { ledger } = database.write
  const known = await findHiding(text, database.read)
  const records = await ledger.unhide(text, shownBy)
  if (records === null) {
    await settle(ledger)
    throw new CommandError(`${text} is not hidden; \`lexigraph hidden\` lists what is.`)
  }
  print(`${text} is no longer hidden.${unserved(subject, foundation)}`)
  await settle(ledger, text)
  print(`${counted(records)} came back to the answers.`)
  if (known?.purge != null)
    print(`It was purged: what the network still has comes with \`lexigraph backfill ${subject.did}\`.`)
  return 0
}

export async function hidden({ config, root }: CommandContext): Promise<number> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openExistingStore(config, foundation)
  const hidings = await database.readHidings()
  if (config.json) for (const hiding of hidings) print(asJson(hiding))
  else if (hidings.length === 0) print('Nothing has been hidden.')
  else process.stdout.write(asTable(hidings))
  return 0
}

function subjectOf(command: string, operands: readonly string[]): readonly [text: string, subject: Subject] {
  const [text = '', ...more] = operands
  if (more.length > 0)
    throw new CommandError(`${command} takes one URI or DID, but ${operands.length} were given.`)
  return [text, parseOperand(text)]
}

export function parseOperand(text: string): Subject {
  const subject = parseSubject(text)
  if (typeof subject === 'string') throw new CommandError(subject)
  return subject
}

export function reasonOf(command: string, config: Config): string {
  const reason = config.reason?.trim() ?? ''
  if (reason === '') throw new CommandError(`${command} needs --reason TEXT, which is kept.`)
  assertPlain('--reason', reason, 1_000)
  return reason
}

async function findHiding(text: string, database: ReadDatabase): Promise<Hiding | undefined> {
  const hidings = await database.readHidings()
  return hidings.find(({ subject, shownAt }) => subject === text && shownAt === null)
}

export function operatorOf({ by }: Config): string {
  const name = (by ?? userOfMachine()).trim()
  if (name === '') throw new CommandError('--by is empty. Give the name of who does it.')
  assertPlain('--by', name, 200)
  return name
}

/** In a container there may be none with a name. */
function userOfMachine(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Terminals obey control characters, and lists have one line for each. */
function assertPlain(option: string, text: string, longest: number): void {
  if (text.length > longest)
    throw new CommandError(`${option} is ${text.length} characters long. Give at most ${longest}.`)
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text))
    throw new CommandError(`${option} has a line break or another control character. Give one line of text.`)
}

/** A database of other lexicons is nothing to be rebuilt by the way, perhaps under a server. */
export async function assertBuilt(config: Config, foundation: Foundation): Promise<void> {
  await (await openExistingStore(config, foundation))[Symbol.asyncDispose]()
}

/** An account under a name that nobody writes so would be seen as before. One that is here may be hidden as it is. */
export async function assertWritten(text: string, { did }: Subject, ledger: Ledger): Promise<void> {
  const lower = inLowerCase(did)
  if (lower === null || (await ledger.knowsAccount(did))) return
  throw new CommandError(
    `${text} has capitals in its host, and no account here is written so. Write ${text.replace(did, lower)}.`,
  )
}

/**
 * Rows that are still in the tables are out of sight already, so that it may take its time. Other accounts' rows are
 * moved too: whoever began with them, this command's like or who follows the network, may have been interrupted.
 */
function settle(ledger: Ledger, subject = ''): Promise<void> {
  const { signal } = new AbortController()
  return finishDespiteClosedPipe(async () => {
    const left = await whileBusy(signal, () => ledger.countRowsToMove(subject))
    if (left > 0) print(`${counted(left, 'row')} of before ${left === 1 ? 'was' : 'were'} still to be moved.`)
    while ((await whileBusy(signal, () => ledger.settleAccounts(rowsAtOnce))) > 0) await pause(breath)
  })
}

export function counted(count: number, name = 'record', several = `${name}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? name : several}`
}

/** No answer had it, but the hiding holds when lexicons are added that have it. */
export function unserved(subject: Subject, { tables }: Foundation): string {
  if (subject.kind === 'account' || tables.some(({ collection }) => collection.nsid === subject.collection))
    return ''
  return ` No lexicon here has the collection ${subject.collection}.`
}

function alreadyHidden({ subject, hiddenAt, hiddenBy, reason, purge }: Hiding): string {
  const purged = purge === null ? '' : `\nIt has been purged since ${formatInstant(purge.purgedAt)}.`
  return `${subject} has been hidden since ${formatInstant(hiddenAt)} by ${hiddenBy}: ${reason}${purged}`
}

function asTable(hidings: readonly Hiding[]): string {
  return renderTable(
    ['subject', 'hidden at', 'by', 'shown again at', 'by', 'purged at', 'by', 'reason'],
    hidings.map(({ subject, hiddenAt, hiddenBy, shownAt, shownBy, reason, purge }) => [
      subject,
      formatInstant(hiddenAt),
      hiddenBy,
      shownAt === null ? '–' : formatInstant(shownAt),
      shownBy ?? '–',
      purge === null ? '–' : formatInstant(purge.purgedAt),
      purge?.purgedBy ?? '–',
      purge === null || purge.reason === reason ? reason : `${reason}; purged: ${purge.reason}`,
    ]),
  )
}

function asJson({ hiddenAt, shownAt, purge, ...rest }: Hiding): string {
  return JSON.stringify({
    ...rest,
    purge:
      purge === null
        ? null
        : {
            ...purge,
            purgedAt: formatInstant(purge.purgedAt),
            erasedAt: purge.erasedAt === null ? null : formatInstant(purge.erasedAt),
          },
    hiddenAt: formatInstant(hiddenAt),
    shownAt: shownAt === null ? null : formatInstant(shownAt),
  })
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
