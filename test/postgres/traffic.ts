/** Callers who keep asking while servers fail: every answer is right, or says that the database is away. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Service } from '../network/service.ts'
import type { Json } from '../reference/shapes.ts'
import { moment, until } from '../support/until.ts'

/** Those of a fraction of a millisecond, and some that take long enough to be interrupted. */
const questions = [
  '{ techServiceNewsArticle(first: 3) { nodes { uri title sourceResolved { ... on TechServiceNewsSource { displayName } } } pageInfo { endCursor } } }',
  '{ techServiceNewsSource(first: 100, sortBy: [{field: displayName}]) { totalCount nodes { displayName } } }',
  '{ techServiceNewsArticle(where: {title: {contains: "a"}}, first: 20) { totalCount nodes { title } } }',
  `{ techServiceNewsArticleAggregate(groupBy: [source_country, language], limit: 1000, orderBy: COUNT_DESC)
    { groups { source_country language count } } }`,
  `{ techServiceNewsArticle(where: {OR: [{title: {contains: "e"}}, {language: {eq: "ja"}}]}, first: 100)
    { totalCount nodes { title sourceResolved { ... on TechServiceNewsSource { displayName country } } } } }`,
]

export interface Traffic extends AsyncDisposable {
  readonly right: () => number
  readonly unavailable: () => number
  /** Ends it, and fails when there was any other answer. */
  readonly stop: () => Promise<void>
}

/** Starts when nothing fails yet, to know what is right. */
export async function startTraffic({ url, query }: Service, callers = 4): Promise<Traffic> {
  const expected = new Map<string, Json>()
  for (const question of questions) expected.set(question, await until(() => unlessAway(query(question))))
  const over = new AbortController()
  let right = 0
  let unavailable = 0
  const wrong: string[] = []

  const ask = async (question: string): Promise<void> => {
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: question }),
    })
    const { data, errors }: Json = await response.json()
    if (errors === undefined && isDeepStrictEqual(data, expected.get(question))) {
      right += 1
      return
    }
    const extensions = errors?.[0]?.extensions
    const isClear = extensions?.code === 'UNAVAILABLE' && extensions.retryAfter === 1
    if (isClear && response.status === 503 && response.headers.get('retry-after') === '1') unavailable += 1
    else wrong.push(`${question}\n${response.status} ${JSON.stringify(errors ?? data)}`)
  }
  const call = async (index: number): Promise<void> => {
    for (let turn = index; !over.signal.aborted && wrong.length === 0; turn++) {
      await ask(questions[turn % questions.length] as string)
      // Leaves the servers time for what they are tried with, and the machine for other tests.
      await moment(20)
    }
  }
  const all = Promise.all(Array.from({ length: callers }, (_, index) => call(index)))
  const end = async (): Promise<void> => {
    over.abort()
    await all
  }
  return {
    right: () => right,
    unavailable: () => unavailable,
    stop: async () => {
      await end()
      assert.deepEqual(wrong, [])
    },
    [Symbol.asyncDispose]: end,
  }
}

/** Null for an answer that the database is away, which a server says too when its machine is held up for seconds. */
async function unlessAway(answer: Promise<Json>): Promise<Json> {
  return answer.catch((error: Error) => {
    if (error.message.includes('"code":"UNAVAILABLE"')) return null
    throw error
  })
}
