/** One question put to a server, and what must be asked before it can be put. */
import { post } from '../support/server.ts'
import type { DeepQuestion, Question } from './questions.ts'

export interface Answered {
  readonly bytes: Buffer
  readonly data: object
}

/** Fails when the answer has errors. */
export async function ask(url: string, query: string): Promise<Answered> {
  const bytes = Buffer.from(await (await post(url, query)).arrayBuffer())
  const { data, errors } = JSON.parse(bytes.toString()) as {
    readonly data?: object
    readonly errors?: unknown
  }
  if (errors !== undefined || data === undefined)
    throw new Error(`refused: ${JSON.stringify(errors).slice(0, 300)}`)
  return { bytes, data }
}

/** The document that is measured: behind a cursor, where the question is for what is deep in a list. */
export async function textOf(url: string, question: Question | DeepQuestion): Promise<string> {
  if ('query' in question) return question.query
  const { pages, page, next, queryAfter } = question
  let cursor: string | null = null
  for (let read = 0; read < pages; read += 1) {
    const found: unknown = next((await ask(url, page(cursor))).data)
    // A list that ends before is read as deep as it goes.
    if (typeof found !== 'string') break
    cursor = found
  }
  if (cursor === null) throw new Error('refused: there is no cursor to read behind')
  return queryAfter(cursor)
}
