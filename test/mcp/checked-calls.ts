/** Calls of `search_records` and `aggregate` over news, each compared with what the reference evaluator answers. */
import assert from 'node:assert/strict'
import type { PlainRecord } from '../reference/dataset.ts'
import type { Reference } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { parseInstant } from '../reference/values.ts'
import type { Call } from '../support/service/agents.ts'
import { type Given, readCall } from './read-call.ts'
import { type Expected, tableOf } from './tables.ts'

/** Passes calls on, and compares their answers page by page; those of other tools are not looked at. */
export function checkedCalls(call: Call, reference: Reference, now: Date): Call {
  /** How many rows come before the page of a cursor. */
  const offsets = new Map<string, number>()
  const known = new Map<string, Expected>()
  return async (tool, args = {}) => {
    const answer = await call(tool, args)
    if (tool !== 'search_records' && tool !== 'aggregate') return answer
    const asked = JSON.stringify(args)
    const said: readonly Json[] = answer['records'] ?? answer['rows'] ?? [[answer['count']]]
    const { after, limit = tool === 'aggregate' ? 20 : 10 } = args
    const before = offsets.get(after) ?? 0
    if (answer['after'] !== undefined) offsets.set(answer['after'], before + said.length)

    const [judge, given] = [tool === 'aggregate' ? tableOf : listOf, readCall(args, now)]
    const key = JSON.stringify([tool, { ...args, after: null }])
    const expected = known.get(key) ?? judge(reference, args, given)
    known.set(key, expected)
    if (after === undefined) assert.equal(answer['count'] ?? answer['total'], expected.count, asked)
    const page = expected.rows(before, before + said.length)
    const members = ['uri', ...(args['fields'] ?? [])]
    const shown = said.map((row) =>
      Array.isArray(row)
        ? row.slice(0, page[0]?.length)
        : Object.fromEntries(members.map((name) => [name, row[name]])),
    )
    assert.deepEqual(shown.map(comparable), page.map(comparable), asked)
    const all = expected.length
    assert.equal(answer['after'] === undefined, before + said.length === all, `${asked} ends`)
    if (args['max_tokens'] === undefined)
      assert.equal(said.length, Math.min(limit, all - before), `${asked} has its rows`)
    return answer
  }
}

/** The records with the fields that are asked for, if these are named. */
function listOf(reference: Reference, { fields = [] }: Json, { collection, ...given }: Given): Expected {
  const all = reference.sorted(collection, given)
  const shown = (record: PlainRecord): Json => {
    const members = fields.map((path: string) => [path, valueAt(reference, record, path.split('.'))])
    return { uri: record.uri, ...Object.fromEntries(members) }
  }
  return { count: all.length, length: all.length, rows: (from, to) => all.slice(from, to).map(shown) }
}

/** References are shown by names; fields of records that refer to this one are lists. */
function valueAt(reference: Reference, record: PlainRecord, [first = '', ...rest]: readonly string[]): Json {
  if (first === 'enrichment') {
    const analyses = reference.records.filter(({ value }) => value.article?.uri === record.uri)
    return analyses.flatMap((one) => valueAt(reference, one, rest) ?? [])
  }
  const value = record.value[first]
  const target = value === undefined ? null : reference.resolve(value.uri ?? value)
  if (target === null) return value
  return rest.length > 0 ? valueAt(reference, target, rest) : (target.value.displayName ?? target.value.title)
}

/** What a record is called without the key that tells it apart: src/mcp/names/labels.test.ts has when that is there. */
function nameOf(label: string): string {
  return label.replace(/^(.+) \([^\s()]+\)$/s, '$1')
}

/** Without missing members; times as moments, labels as names, and lists in one order. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? parseInstant(value) : nameOf(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(comparable)
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inside]) => [
        nameOf(name),
        Array.isArray(inside) ? inside.map(comparable).toSorted() : comparable(inside),
      ])
      .filter(([, inside]) => inside !== undefined && !(Array.isArray(inside) && inside.length === 0)),
  )
}
