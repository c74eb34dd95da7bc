/** A caller: an address of this machine, a key or none, and connections that are kept. It judges nothing. */
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Json } from '../../reference/shapes.ts'
import { moment } from '../../support/until.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Question {
  readonly query: string
  readonly variables?: Readonly<Record<string, Json>>
}

export interface CallerGiven {
  readonly port: number
  /** Such as `127.0.0.2`: all of them are this machine. */
  readonly address: string
  readonly key?: string
  /** By outcome, the answers that it got. */
  readonly seen?: Map<string, number>
}

const path = '/api/graphql'

export class Caller implements Disposable {
  readonly #agent: Agent
  readonly #given: CallerGiven

  constructor(given: CallerGiven) {
    this.#given = given
    this.#agent = new Agent({ keepAlive: true })
  }

  post(question: Question, key = this.#given.key): Promise<Answer> {
    return this.#send('POST', path, key, { 'content-type': 'application/json' }, JSON.stringify(question))
  }

  get({ query, variables }: Question, etag: string | null = null): Promise<Answer> {
    const search = new URLSearchParams({ query })
    if (variables !== undefined) search.set('variables', JSON.stringify(variables))
    const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
    return this.#send('GET', `${path}?${search}`, this.#given.key, headers, '')
  }

  /** Asks and leaves: at once, or when so many milliseconds are over. Resolves when the connection is gone. */
  async leave(question: Question, after: number): Promise<'answered' | 'left'> {
    const body = JSON.stringify(question)
    const asked = this.#open('POST', path, this.#given.key, { 'content-type': 'application/json' })
    const answered = once(asked, 'response').then(([response]: IncomingMessage[]) => {
      response?.resume()
      return once(response as IncomingMessage, 'end')
    })
    answered.catch(() => undefined)
    const closed = once(asked, 'close')
    closed.catch(() => undefined)
    asked.on('error', () => undefined)
    asked.end(body)
    void moment(after).then(() => asked.destroy())
    try {
      await Promise.race([answered, closed.then(() => Promise.reject(new Error('It was left.')))])
      return 'answered'
    } catch {
      return 'left'
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  /** Once more when a kept connection was closed by the server in the moment in which it was used again. */
  async #send(
    method: string,
    target: string,
    key: string | undefined,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<Answer> {
    for (let isFirst = true; ; isFirst = false) {
      const asked = this.#open(method, target, key, headers)
      try {
        asked.end(body)
        const [response] = (await once(asked, 'response')) as [IncomingMessage]
        const text = await read(response)
        const { statusCode: status = 0, headers: answered } = response
        const answer = { status, headers: answered, text }
        const outcome = status === 304 ? 'ok' : outcomeOf(answer)
        this.#given.seen?.set(outcome, (this.#given.seen.get(outcome) ?? 0) + 1)
        return answer
      } catch (error) {
        if (!isFirst || !asked.reusedSocket) throw error
      }
    }
  }

  #open(
    method: string,
    target: string,
    key: string | undefined,
    headers: Readonly<Record<string, string>>,
  ): ClientRequest {
    const { port, address } = this.#given
    return request({
      host: '127.0.0.1',
      port,
      localAddress: address,
      agent: this.#agent,
      method,
      path: target,
      headers: {
        accept: 'application/graphql-response+json',
        ...headers,
        ...(key !== undefined && { 'x-api-key': key }),
      },
    })
  }
}

async function read(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  if (!response.complete) throw new Error('The answer was cut off.')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
}

/** The code of the first error; `ok` for an answer without. */
export function outcomeOf({ status, text }: Pick<Answer, 'status' | 'text'>): string {
  if (status === 304) return 'not modified'
  if (text.startsWith('{"data"')) return 'ok'
  const { errors } = parseJson(text) ?? {}
  return errors?.[0]?.extensions?.code ?? `status ${status} without a code`
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
