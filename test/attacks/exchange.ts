/** A connection on which any bytes are sent, and the HTTP answers on it, one after the other. It knows no GraphQL. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { patience } from '../support/until.ts'

export type Bytes = string | Uint8Array

export interface Answer {
  readonly status: number
  /** Names in lower case; of several with one name the last. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export class Connection implements Disposable {
  readonly socket: Socket
  #received = Buffer.alloc(0)
  #isOver = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data])
    })
    // A server that neither answers nor closes must not keep the tests for ever.
    socket.setTimeout(patience, () => socket.destroy())
    // How it ends is no matter, only whether what was expected came before.
    socket.on('error', () => undefined)
    socket.on('end', () => (this.#isOver = true)).on('close', () => (this.#isOver = true))
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1')
    const connection = new Connection(socket)
    if (!socket.destroyed && socket.connecting)
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    return connection
  }

  /** The next answer that is no `100 Continue`; null when the server closed the connection before its end. */
  async answer({ hasBody = true } = {}): Promise<Answer | null> {
    for (;;) {
      const found = this.#take(hasBody)
      if (found !== null && found.status >= 200) return found
      if (found === null && this.#isOver) return null
      if (found === null) await this.#more()
    }
  }

  /** Resolves when the server has nothing more to say. */
  async closed(): Promise<void> {
    while (!this.#isOver) await this.#more()
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }

  async #more(): Promise<void> {
    const stop = new AbortController()
    const { signal } = stop
    const events = ['data', 'end', 'close'].map((event) =>
      once(this.socket, event, { signal }).catch(() => undefined),
    )
    await Promise.race(events)
    stop.abort()
  }

  #take(hasBody: boolean): Answer | null {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return null
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n')
    const headers = new Map(lines.map(splitHeader))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (Number.isNaN(status)) throw new Error(`This is no answer: ${first.slice(0, 200)}`)
    const start = end + 4
    const isEmpty = !hasBody || status < 200 || status === 204 || status === 304
    const found = isEmpty ? { body: '', end: start } : this.#body(headers, start)
    if (found === null) return null
    this.#received = this.#received.subarray(found.end)
    return { status, headers, body: found.body }
  }

  /** Null while it is not all there. */
  #body(headers: ReadonlyMap<string, string>, start: number): { body: string; end: number } | null {
    const told = headers.get('content-length')
    if (told === undefined && headers.get('transfer-encoding') !== 'chunked')
      throw new Error('An answer does not say how long it is.')
    if (told === undefined) return this.#chunks(start)
    const end = start + Number(told)
    return this.#received.length < end ? null : { body: this.#received.toString('utf8', start, end), end }
  }

  #chunks(start: number): { body: string; end: number } | null {
    const pieces: Buffer[] = []
    for (let at = start; ; ) {
      const line = this.#received.indexOf('\r\n', at)
      if (line === -1) return null
      const length = Number.parseInt(this.#received.toString('latin1', at, line), 16)
      const end = line + 2 + length
      if (this.#received.length < end + 2) return null
      if (length === 0) return { body: Buffer.concat(pieces).toString(), end: end + 2 }
      pieces.push(this.#received.subarray(line + 2, end))
      at = end + 2
    }
  }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
