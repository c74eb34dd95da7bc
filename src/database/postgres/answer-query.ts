/**
 * A prepared statement that answers with one row, each value as the bytes the server sends. The driver reads every
 * value as text, and writes text into bytes again for what is binary, which takes longer than all else it does for
 * an answer and keeps no byte that is not part of a character. How a row gets here untouched is known here alone.
 */
import { EventEmitter } from 'node:events'
import pg from 'pg'
import type { ColumnValue } from '../database.ts'

type Row = readonly (Buffer | null)[]

/** What the driver's connection has beside what its types say. */
interface Wire extends Pick<pg.Connection, 'stream'> {
  /** By name. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  attachListeners(stream: EventEmitter): void
  emit(event: 'dataRow', message: { readonly fields: Row }): boolean
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: {
    readonly statement: string
    readonly values: readonly (Buffer | string | null)[]
    readonly binary: boolean
  }): void
  execute(): void
  sync(): void
}

/** Those whose rows are not to be read as text while they wait for them. */
const waiting = new WeakSet<Wire>()

/** A client that can be asked an `AnswerQuery`. */
export class AnswerClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    takeRows(this.connection as unknown as Wire)
  }
}

export class AnswerQuery implements pg.Submittable {
  /** The driver remembers a statement by both once the server has it. */
  readonly name: string
  readonly text: string
  /** Milliseconds until the driver gives up, if others than the connection's. */
  readonly query_timeout: number | undefined
  /** The driver puts its own around it, to stop its clock. */
  callback: (error: Error | null, row?: Row) => void
  readonly #values: readonly ColumnValue[]
  /** Whoever waits for the row; let go of once it is there, because what the driver makes for its clock outlives it. */
  #waiting: PromiseWithResolvers<Row> | undefined = Promise.withResolvers<Row>()
  #row: Row | undefined

  constructor(
    {
      name,
      text,
      values,
    }: { readonly name: string; readonly text: string; readonly values: readonly ColumnValue[] },
    timeout: number | undefined,
  ) {
    this.name = name
    this.text = text
    this.query_timeout = timeout
    // V8 takes a function that is written where it is assigned for a method, and makes it old at once, with all it holds.
    const settle: AnswerQuery['callback'] = (error, row) => this.#settle(error, row)
    this.callback = settle
    this.#values = values
  }

  /** Of a query that is under way. */
  get row(): Promise<Row> {
    return this.#waiting?.promise ?? Promise.reject(new Error('A statement is asked for its row once.'))
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    const { name, text } = this
    waiting.add(wire)
    wire.stream.cork()
    if (wire.parsedStatements[name] === undefined) wire.parse({ name, text })
    // Nobody has to describe what is bytes.
    wire.bind({ statement: name, values: this.#values.map(given), binary: true })
    wire.execute()
    wire.sync()
    wire.stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#row = fields
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(connection: Wire): void {
    waiting.delete(connection)
    this.callback(
      this.#row === undefined ? new Error('A statement has answered with no row.') : null,
      this.#row,
    )
  }

  handleError(error: Error, connection: Wire): void {
    waiting.delete(connection)
    this.callback(error)
  }

  #settle(error: Error | null, row: Row | undefined): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#row = undefined
    if (row === undefined) waiting?.reject(error)
    else waiting?.resolve(row)
  }
}

/** Puts itself before the driver's own reading, which gets all messages but rows that are waited for. */
function takeRows(wire: Wire): void {
  const attach = wire.attachListeners.bind(wire)
  wire.attachListeners = (stream) => {
    const driver = new EventEmitter()
    attach(driver)
    const parts: Buffer[] = []
    let [length, needed] = [0, headLength]
    stream.on('data', (chunk: Buffer) => {
      parts.push(chunk)
      length += chunk.length
      // A long message is put together once.
      if (length < needed) return
      const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, length)
      let [start, end] = [0, 0]
      for (;;) {
        needed = bytes.length - end < headLength ? headLength : 1 + bytes.readUInt32BE(end + 1)
        if (bytes.length - end < needed) break
        const message = end
        end += needed
        if (bytes[message] !== dataRow || !waiting.has(wire)) continue
        if (message > start) driver.emit('data', bytes.subarray(start, message))
        wire.emit('dataRow', { fields: fieldsOf(bytes.subarray(message + headLength, end)) })
        start = end
      }
      if (end > start) driver.emit('data', bytes.subarray(start, end))
      length = bytes.length - end
      parts.length = 0
      if (length > 0) parts.push(bytes.subarray(end))
    })
  }
}

/** A message is its kind in one byte, its length in four, which count themselves, and what it says. */
const headLength = 5
const dataRow = 'D'.charCodeAt(0)

/** How many there are, and each with its length before it, which is -1 for null. */
function fieldsOf(bytes: Buffer): Row {
  let at = 2
  return Array.from({ length: bytes.readInt16BE(0) }, () => {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return bytes.subarray(at - length, at)
  })
}

function given(value: ColumnValue): Buffer | string | null {
  if (value === null) return null
  return value instanceof Uint8Array ? Buffer.from(value) : String(value)
}
