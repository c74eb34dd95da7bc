/** The agents' server on standard input and output, for use by the parent process. */
import { type Readable, type Writable, Transform, type TransformCallback } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { type AgentServers, refuseUnserved } from './server.ts'
import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { isObject } from '../../util/is-object.ts'
import { errorText, MessageError, mostMessageBytes, readMessage } from './message.ts'
import { type RequestId, requestIdOf, rpcCodes } from './message.ts'

/**
 * Serves until `input` has ended and all calls of tools are answered, or `stop` is aborted. Nothing else may write to
 * `output` in the meantime. `onError` receives errors about messages that the SDK does not answer.
 */
export async function serveOnStdio(
  servers: AgentServers,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  stop: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const messages = new MessageLines(output)
  messages.once('close', ended.resolve)
  messages.once('end', ended.resolve)
  stop.addEventListener('abort', () => ended.resolve(), { once: true })
  input.once('close', () => messages.end())
  const transport = new Transport(messages, output)
  const connection = serveStdio(() => servers(), { transport, onerror: onError })
  input.pipe(messages)
  await ended.promise
  await connection.close()
}

class Transport extends StdioServerTransport {
  readonly #messages: MessageLines

  constructor(messages: MessageLines, output: Writable) {
    super(messages, output)
    this.#messages = messages
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message)
    } finally {
      if ('id' in message) this.#messages.settle(message.id)
    }
  }
}

const lineFeed = 0x0a

/** Passes on lines that are messages; answers others on `output` by a JSON-RPC error, as the SDK does over HTTP alone. */
class MessageLines extends Transform {
  readonly #output: Writable
  /** Calls of tools without an answer. The lines end when there are none. */
  readonly #calls = new Set<unknown>()
  #end: TransformCallback | null = null
  #pieces: Buffer[] = []
  #length = 0

  constructor(output: Writable) {
    super()
    this.#output = output
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#add(chunk.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
    this.#add(chunk.subarray(start))
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#end = done
    this.settle(null)
  }

  /** Called when a call has been answered or cancelled. */
  settle(id: unknown): void {
    this.#calls.delete(id)
    if (this.#calls.size > 0) return
    this.#end?.()
    this.#end = null
  }

  /** Keeps no more than the limit of a line. */
  #add(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length <= mostMessageBytes) this.#pieces.push(piece)
    else this.#pieces = []
  }

  #endLine(): void {
    const [line, length] = [Buffer.concat(this.#pieces), this.#length]
    this.#pieces = []
    this.#length = 0
    const tooLong = `The message is over the limit of ${mostMessageBytes} bytes.`
    if (length > mostMessageBytes) return this.#refuse(null, rpcCodes.invalidRequest, tooLong)
    if (line.every((byte) => byte <= 0x20)) return
    try {
      const message = readMessage(line)
      const refused = refuseUnserved(message)
      if (refused !== null) this.#output.write(`${refused.text}\n`)
      else if (isMessage(message)) {
        if (isJSONRPCRequest(message) && message.method === 'tools/call') this.#calls.add(message.id)
        if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
          this.settle(message.params?.['requestId'])
        this.push(`${JSON.stringify(message)}\n`)
      } else
        this.#refuse(requestIdOf(message), rpcCodes.invalidRequest, 'This is not a JSON-RPC 2.0 message.')
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      this.#refuse(null, error.code, error.message)
    }
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#output.write(`${errorText(id, { code, message })}\n`)
  }
}

/** Answers of a client always pass: an error in reply to an answer could be answered again, without end. */
function isMessage(message: unknown): boolean {
  if (isObject(message) && ('result' in message || 'error' in message)) return true
  return isJSONRPCRequest(message) || isJSONRPCNotification(message)
}
