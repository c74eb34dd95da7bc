/** What `hide` and `purge` share: subjects, operators, reasons, and the way they write; and how commands derive stories. */
import { userInfo } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadDatabase } from '../../database/database.ts'
import type { Hiding } from '../../database/metadata/metadata-store.ts'
import type { MetadataStore } from '../../database/metadata/sql-metadata-store.ts'
import { UsageError } from '../../errors.ts'
import { whileBusy } from '../../ingest/retries.ts'
import { inLowerCase, parseSubject, type Subject } from '../../lexicon/subject.ts'
import { CommandError } from '../command.ts'
import type { ProjectContext } from './project.ts'
import type { Config } from '../settings/settings.ts'
import { readHidings } from '../../database/metadata/hidings.ts'

/** Maximum rows per transaction, so that other writers need not wait long. */
const rowsAtOnce = 500
/** Milliseconds between transactions: longer than the pause of other processes between their attempts to write. */
const breath = 30

export function parseOperand(text: string): Subject {
  const subject = parseSubject(text)
  if (typeof subject === 'string') throw new UsageError(subject)
  return subject
}

export function reasonOf(command: string, config: Config): string {
  const reason = config.reason?.trim() ?? ''
  if (reason === '') throw new UsageError(`${command} needs --reason TEXT, which is kept.`)
  assertPlain('--reason', reason, 1_000)
  return reason
}

export async function findHiding(text: string, database: ReadDatabase): Promise<Hiding | undefined> {
  const hidings = await database.readSteps(readHidings)
  return hidings.find(({ subject, shownAt }) => subject === text && shownAt === null)
}

export function operatorOf({ by }: Config): string {
  const name = (by ?? userOfMachine()).trim()
  if (name === '') throw new UsageError('--by is empty. Give the name of who does it.')
  assertPlain('--by', name, 200)
  return name
}

/** The user of a container may have no name. */
function userOfMachine(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Control characters would act on terminals, and line breaks would split the lines of lists. */
function assertPlain(option: string, text: string, longest: number): void {
  if (text.length > longest)
    throw new UsageError(`${option} is ${text.length} characters long. Give at most ${longest}.`)
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text))
    throw new UsageError(`${option} has a line break or another control character. Give one line of text.`)
}

/** Hiding a misspelt DID would leave the account visible. An account stored with capitals may be hidden as it is. */
export async function assertWritten(text: string, { did }: Subject, metadata: MetadataStore): Promise<void> {
  const lower = inLowerCase(did)
  if (lower === null || (await metadata.knowsAccount(did))) return
  throw new CommandError(
    `${text} has capitals in its host, and no account here is written so. Write ${text.replace(did, lower)}.`,
  )
}

/** The collection has no lexicon, so no answer contained it; the hiding applies once a lexicon is added. */
export function unserved(subject: Subject, { tables }: ProjectContext): string {
  if (subject.kind === 'account' || tables.some(({ collection }) => collection.nsid === subject.collection))
    return ''
  return ` No lexicon here has the collection ${subject.collection}.`
}

/** Repeats a transaction until it finds no more rows; resolves to the total number of rows. */
export async function inSteps(step: (rows: number) => Promise<number>): Promise<number> {
  let sum = 0
  for (;;) {
    const rows = await busily(() => step(rowsAtOnce))
    if (rows === 0) return sum
    sum += rows
    await pause(breath)
  }
}

/** Derives the stories that changes concern: it may be that only query nodes run, which write nothing. */
export async function settleStories(metadata: MetadataStore): Promise<void> {
  while (await busily(() => metadata.deriveStories(rowsAtOnce))) await pause(breath)
}

/** Waits while another process writes. */
export function busily<Result>(work: () => Promise<Result>): Promise<Result> {
  return whileBusy(new AbortController().signal, work)
}
