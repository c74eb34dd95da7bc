/** Asks random operations as callers without a key do, and holds the answers against the plain evaluator's. */
import assert from 'node:assert/strict'
import { defaultTiers, publicTier } from '../../../src/server/admission/tiers.ts'
import type { Json } from '../../reference/shapes.ts'
import { isRefusedOnClusters, isSpread } from '../store/postgres.ts'
import { unchargedLimits } from '../service/engine.ts'
import type { Operation } from './operations.ts'
import { anyCursor } from './parts.ts'
import type { TestService } from '../service/service.ts'

const tier = defaultTiers.find(({ name }) => name === publicTier)
if (tier === undefined) throw new Error('There is no public tier.')
const requestLimits = { ...unchargedLimits, pageSize: tier.pageSize, points: tier.pointsPerQuery }

/** False when the operation costs more points than these, by default those that the public tier may spend on one. */
export async function assertAnswered(
  service: TestService,
  { text, expected }: Operation,
  points = requestLimits.points,
): Promise<boolean> {
  const data = await answerOf(service, text, points)
  if (data === null) return false
  assert.deepEqual(withoutCursors(data, expected), expected, text)
  return true
}

/** Null when the operation costs more points than these, or is not there on clusters. */
export async function answerOf(
  { engine }: TestService,
  text: string,
  points = requestLimits.points,
): Promise<Json> {
  const answer = await engine.execute({ query: text }, { ...requestLimits, points })
  if (answer.kind !== 'data') {
    if (isSpread && isRefusedOnClusters(answer.errors)) return null
    const messages = answer.errors.map(({ message }) => message).join('\n')
    assert.equal(answer.code, 'QUERY_TOO_COMPLEX', `${messages}\n${String(answer.cause)}\n${text}`)
    // Its price, or what it asks for: known before anything is read. Answers of these small corpora are never too large.
    assert.match(messages, /, and the limit is \d+\./, text)
    return null
  }
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body)).data
}

/** The answer with its cursors as the expectation has them. */
export function withoutCursors(answer: Json, expected: Json): Json {
  if (expected === anyCursor && typeof answer === 'string' && answer !== '') return anyCursor
  if (Array.isArray(answer) && Array.isArray(expected))
    return answer.map((one, index) => withoutCursors(one, expected[index]))
  if (!isObject(answer) || !isObject(expected)) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, withoutCursors(value, expected[key])]),
  )
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
