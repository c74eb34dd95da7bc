/** Turns a block of lines into changes. Pure computation, so that any thread can run it. */
import { isUtf8 } from 'node:buffer'
import type { Change, Rejection } from '../../../database/database.ts'
import { uriOf } from '../../../database/write/decide.ts'
import { deriveRow } from '../../../database/derive.ts'
import type { Table } from '../../../database/layout/tables.ts'
import type { LexiconSet } from '../../../lexicon/lexicon-set.ts'
import { createLineReader, type ParsedRecord } from '../../../lexicon/records/validate.ts'
import { formatInstant } from '../../../util/instant.ts'
import { latestMoment, timeOfTid } from '../../../util/tid.ts'
import { maxLineBytes } from './lines.ts'
import { grouped } from '../../../util/text/counted.ts'

/** Plain data, so that it can be sent to a thread. */
export interface ReaderOptions {
  readonly lexicons: LexiconSet
  readonly tables: readonly Table[]
  /** Seconds that a revision may be ahead of the clock. */
  readonly maxClockSkew?: number
}

export interface BlockReader {
  /** One change for each line that is not blank, in order. */
  readonly read: (bytes: Uint8Array<ArrayBuffer>, source: string, firstLine: number) => Change[]
}

/** What is wrong with a revision that exceeds the clock skew; null for a valid revision. */
export function futureRevision(
  rev: string,
  { maxClockSkew }: Pick<ReaderOptions, 'maxClockSkew'>,
  now: bigint,
): string | null {
  const time = timeOfTid(rev)
  if (time <= latestMoment(now, maxClockSkew)) return null
  return `The revision ${rev} is of ${formatInstant(time)}, which is still to come.`
}

/** Turns a parsed record into a put with derived values, or into a rejection with the members of `refused`. */
export function createChangeOf({
  tables,
}: Pick<ReaderOptions, 'tables'>): (
  reading: ParsedRecord,
  refused: () => Pick<Rejection, 'source' | 'record' | 'rev'>,
) => Change {
  const tableOf = new Map(tables.map((table) => [table.collection.nsid, table]))
  return (reading, refused) => {
    if (!reading.ok) {
      const { uri, reason, message } = reading
      return { kind: 'reject', uri, reason, message, ...refused() }
    }
    const { collection, did, rkey, cid, rev, indexedAt, value, json } = reading.record
    const table = tableOf.get(collection)
    if (table === undefined) throw new Error(`There is no table for ${collection}.`)
    // Members are named one by one: spreading objects takes several times as long.
    const { columns, arrays } = deriveRow(table, value)
    return { kind: 'put', collection, did, rkey, cid, rev, indexedAt, json, columns, arrays }
  }
}

/** Also refuses revisions of the future, which are still unchecked in lines. */
export function createLineChangeOf(options: ReaderOptions): ReturnType<typeof createChangeOf> {
  const changeOf = createChangeOf(options)
  return (reading, refused) => {
    const rev = reading.ok ? reading.record.rev : null
    const future = rev === null ? null : futureRevision(rev, options, BigInt(Date.now()) * 1_000n)
    if (!reading.ok || future === null) return changeOf(reading, refused)
    const message = `${future} If this machine's clock is wrong, set it and run \`lexigraph rejections retry\`.`
    const { source, record } = refused()
    // Stored without its revision, so that the rejection does not replace a record.
    return { kind: 'reject', uri: uriOf(reading.record), reason: 'future-revision', message, source, record }
  }
}

export function createBlockReader(options: ReaderOptions): BlockReader {
  const readLine = createLineReader(options.lexicons)
  const changeOf = createLineChangeOf(options)
  return {
    read: (bytes, source, firstLine) =>
      splitLines(bytes).flatMap((line, index) => {
        const from = `${source}:${firstLine + index}`
        if (typeof line !== 'string') return [{ kind: 'reject', source: from, ...line }]
        if (!/\S/.test(line)) return []
        return [changeOf(readLine(line), () => ({ source: from, record: line }))]
      }),
  }
}

type BrokenLine = Omit<Rejection, 'source'>

/**
 * Decodes each line by itself, because one character beyond ASCII doubles the memory of a whole text and slows its
 * parsing. A byte order mark may precede any line, because files get concatenated.
 */
function splitLines(bytes: Uint8Array<ArrayBuffer>): (string | BrokenLine)[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Lines are checked for invalid bytes only if the block has some.
  const whole = isUtf8(buffer)
  const lines: (string | BrokenLine)[] = []
  for (let start = 0; start < buffer.length; ) {
    const found = buffer.indexOf(newline, start)
    const end = found < 0 ? buffer.length : found
    const text = buffer.toString('utf8', start, end)
    if (end - start > maxLineBytes) lines.push(tooLong(text))
    else if (!whole && !isUtf8(buffer.subarray(start, end))) lines.push(notUtf8(text))
    else lines.push(text.startsWith('\uFEFF') ? text.slice(1) : text)
    start = end + 1
  }
  return lines
}

const newline = 10

function tooLong(text: string): BrokenLine {
  const message = `The line is longer than ${grouped(maxLineBytes)} bytes; only its beginning is kept here.`
  return { uri: null, reason: 'too-large', message, record: text.slice(0, keptOfTooLong).toWellFormed() }
}

const keptOfTooLong = 1_000

function notUtf8(text: string): BrokenLine {
  return { uri: null, reason: 'malformed', message: 'The line is not valid UTF-8.', record: text }
}
