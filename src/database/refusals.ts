/** Errors that every engine reports to callers in the same words. */
import { ServiceError } from '../errors.ts'
import { formatInstant } from '../util/instant.ts'
import { DatabaseBusyError } from './database.ts'
import { type RebuildProgress, rebuildSentence } from './rebuild/rebuild-report.ts'

/** Bytes of an answer: making and sending a longer one would delay all other callers. */
export const largestAnswer = 8 * 1024 * 1024

export function answerTooLarge(): ServiceError {
  return new ServiceError(
    'QUERY_TOO_COMPLEX',
    `The answer has more than ${largestAnswer} bytes, which is the limit. Ask for smaller pages and follow their cursors, or for fewer fields, above all \`recordJson\` and long texts.`,
    { limit: largestAnswer },
  )
}

/** The planner of a cluster refuses some statements only when it sees them. */
export function unplannedOnCluster(cause: unknown): ServiceError {
  const message =
    'This index is spread over several servers, which cannot answer this question as it is. Ask for its parts one by one; docs/scaling.md lists what they cannot.'
  return new ServiceError('QUERY_TOO_COMPLEX', message, {}, { cause })
}

/** A failure that may end soon; `cause` is for the operator. */
export function unavailable(cause: unknown): ServiceError {
  const message = 'The database does not answer at the moment.'
  return new ServiceError('UNAVAILABLE', message, { retryAfter: 1 }, { cause })
}

/** Plans and cached answers of this process do not fit the rebuilt tables. */
export class RebuiltElsewhereError extends ServiceError {
  constructor() {
    super(
      'UNAVAILABLE',
      'The index was rebuilt for other lexicons, which the service is about to load. Try again in some seconds; if that does not help, the operator must start it again.',
      { retryAfter: 5 },
    )
  }
}

/** No query can be answered during a rebuild; null: the progress is not known. */
export class BeingRebuiltError extends ServiceError {
  constructor(progress: RebuildProgress | null) {
    const how = progress === null ? '' : ` ${rebuildSentence(progress)}`
    super('UNAVAILABLE', `The index is being rebuilt for these lexicons.${how}`, {
      retryAfter: 5,
      ...(progress !== null && { rebuild: progress.collections }),
    })
  }
}

export const rebuildAdvice =
  'have `lexigraph import` or `serve` rebuild it for these, with --rebuild if a collection that has records would disappear'

/** For operators; the message follows the name of the database. */
export class BuiltElsewiseError extends Error {
  override name = 'BuiltElsewiseError'
  /** `user`: one who may not rebuild it. */
  constructor(user: string | null = null) {
    const [denied, owner] =
      user === null ? [''] : [`, and the user "${user}" may not rebuild it`, ', as the role that owns it']
    super(
      `it was built with other lexicons or by another version${denied}. Name its own with --lexicons, or ${rebuildAdvice}${owner ?? ''}.`,
    )
  }
}

/** For operators. */
export function otherSchema(what: 'file' | 'database', found: number, known: number): Error {
  const advice =
    found > known
      ? `this program knows versions up to ${known}. Use a newer lexigraph.`
      : `this program knows only version ${known}. Name an empty database, and fill it with \`lexigraph import\` or \`lexigraph restore\`.`
  return new Error(`The ${what} has schema version ${found}; ${advice}`)
}

/** Another process has held the lock of writers for as long as this one waits. */
export function databaseBusy(cause?: unknown): DatabaseBusyError {
  const message = 'Another process is writing to the database. Try again when it is done.'
  return new DatabaseBusyError(message, { cause })
}

/** For operators: the file of an open database no longer has its name. */
export class ReplacedFileError extends Error {
  override name = 'ReplacedFileError'
  /** SQLITE_CANTOPEN: callers are told that the database does not answer. */
  readonly errcode = 14
  constructor(path: string, isDeleted: boolean) {
    super(
      isDeleted
        ? `The file ${path} was deleted or moved while this program had it open. Put it back, or restore a backup, and start again.`
        : `The file ${path} was replaced by another while this program had it open. Start again, to use the one that is there now.`,
    )
  }
}

/** For operators: two processes that want different tables would undo each other's work. */
export class RebuildConflictError extends DatabaseBusyError {
  override name = 'RebuildConflictError'
  constructor() {
    super(
      'Another process is rebuilding it for other lexicons. Stop that process, or wait until it is done, and try again.',
    )
  }
}

/** For operators; `at`: microseconds. Two processes with different lexicons would rebuild without end. */
export class ReplacedLexiconsError extends Error {
  override name = 'ReplacedLexiconsError'
  constructor(at: bigint) {
    super(
      `another process rebuilt it from these lexicons to others at ${formatInstant(at)}. Give this one the same lexicons with --lexicons, or stop that one and go back with --rebuild.`,
    )
  }
}

export function sumOutOfRange(): ServiceError {
  return new ServiceError(
    'BAD_USER_INPUT',
    'A sum is beyond ±9007199254740991, the largest exact JSON number. Narrow `where`, or ask for `avg`.',
  )
}
