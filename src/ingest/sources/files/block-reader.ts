/** Turns a block of lines into changes. Pure computation, so that any thread can run it. */
import { isUtf8 } from 'node:buffer'
import type { Change, Rejection } from '../../../database/database.ts'
import { uriOf } from '../../../database/changes.ts'
import { createLineReader } from '../../../lexicon/records/validate.ts'
import { createChangeOf, futureRevision, type ReaderOptions } from '../change-reader.ts'
import { maxLineBytes } from './lines.ts'
import { now } from '../../../util/instant.ts'
import { grouped } from '../../../util/text/counted.ts'

/** Also refuses revisions of the future, which are still unchecked in lines. `refused`: members of a rejection. */
export function createLineChangeReader({ lexicons, tables, maxClockSkew }: ReaderOptions) {
  const readLine = createLineReader(lexicons)
  const changeOf = createChangeOf(tables)
  return (record: string, refused: Pick<Rejection, 'source' | 'rev'>): Change => {
    const reading = readLine(record)
    const rev = reading.ok ? reading.record.rev : null
    const future = rev === null ? null : futureRevision(rev, maxClockSkew, now())
    if (!reading.ok || future === null) return changeOf(reading, () => ({ ...refused, record }))
    const message = `${future} If this machine's clock is wrong, set it and run \`lexigraph rejections retry\`.`
    const { source } = refused
    // Stored without its revision, so that the rejection does not replace a record.
    return { kind: 'reject', uri: uriOf(reading.record), reason: 'future-revision', message, source, record }
  }
}

export interface BlockRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly source: string
  readonly firstLine: number
}

/** Returns one change for each line that is not blank, in order. */
export function createBlockReader(options: ReaderOptions): (block: BlockRequest) => Change[] {
  const readChange = createLineChangeReader(options)
  return ({ bytes, source, firstLine }) =>
    splitLines(bytes).flatMap((line, index): Change[] => {
      const from = `${source}:${firstLine + index}`
      if (typeof line !== 'string') return [{ kind: 'reject', source: from, ...line }]
      return /\S/.test(line) ? [readChange(line, { source: from })] : []
    })
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
    else if (!whole && !isUtf8(buffer.subarray(start, end)))
      lines.push({ uri: null, reason: 'malformed', message: 'The line is not valid UTF-8.', record: text })
    else lines.push(text.startsWith('\uFEFF') ? text.slice(1) : text)
    start = end + 1
  }
  return lines
}

const newline = 10

function tooLong(text: string): BrokenLine {
  const message = `The line is longer than ${grouped(maxLineBytes)} bytes; only its beginning is kept here.`
  const record = text.slice(0, keptOfTooLong).toWellFormed()
  return { uri: null, reason: 'too-large', message, record, cut: true }
}

const keptOfTooLong = 1_000
