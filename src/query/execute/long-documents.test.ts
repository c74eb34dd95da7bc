import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWatchedEngine } from '../../../test/support/service/watched-engine.ts'
import { ExecutionReport, unlimited } from './execute.ts'

const list = 'orgExampleLibraryBook'
const times = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ')
const nodes = (fields: string): string => `{ ${list} { nodes { ${fields} } } }`

const asked = `query ($where: OrgExampleLibraryBookWhereInput) { ${list}(where: $where) { totalCount } }`
const any = (count: number, condition: (n: number) => object) => ({
  where: { OR: Array.from({ length: count }, (_, n) => condition(n)) },
})
type LongRequest = readonly [text: string, least: number, errors: number, variables?: Record<string, unknown>]
const requests: readonly LongRequest[] = [
  [nodes('uri'), 0, 0],
  [asked, 0, 0, any(1, () => ({ title: { eq: 'a' } }))],
  [asked, 4, 0, any(1, () => ({ uri: { in: Array(900).fill('at://did:plc:a/b/c') } }))],
  [asked, 4, 1, any(900, (n) => ({ title: { eq: `a${n}` } }))],
  [asked, 2, 11, any(250, (n) => ({ [`titel${n}`]: { eq: 'a' } }))],
  [asked, 0, 1, any(2_001, () => ({}))],
  [nodes(times(900, (n) => `a${n}: uri`)), 4, 0],
  [nodes(times(490, (n) => `unknownField${n}`)), 4, 6],
  [nodes(times(4_900, (n) => `unknownField${n}`)), 4, 2],
  [`{ ${list}(where: {${times(400, (n) => `titel${n}: {eq: "a"}`)}}) { totalCount } }`, 4, 6],
  [`${nodes(times(900, (n) => `a${n}: uri`))} }`, 1, 1],
  [`{ ${'{ '.repeat(6_000)}`, 0, 1],
]

test('between the steps that prepare a long request others have their turns', async () => {
  await using service = await openWatchedEngine()
  for (const [query, least, errors, variables = null] of requests) {
    let turns = 0
    let isOver = false
    const count = (): void => {
      if (isOver) return
      turns += 1
      setImmediate(count)
    }
    setImmediate(count)
    let reports = 0
    const worked = (): void => void (reports += 1)
    const answer = await service.engine.execute(
      { query, variables, operationName: null },
      { ...unlimited, worked },
    )
    isOver = true
    assert.equal(answer.kind === 'errors' ? answer.errors.length : 0, errors, query.slice(0, 60))
    if (least > 0)
      assert.ok(
        turns >= least && reports > least,
        `${turns} turns, ${reports} reports: ${query.slice(0, 60)}`,
      )
  }
})

test('a long request for a file is prepared in as many steps', async () => {
  await using service = await openWatchedEngine()
  const query = asked.replace('totalCount', 'nodes { uri }')
  const reportsOf = async (uris: number): Promise<number> => {
    let reports = 0
    const limits = { ...unlimited, worked: () => void (reports += 1) }
    const variables = any(1, () => ({ uri: { in: Array(uris).fill('at://did:plc:a/b/c') } }))
    await service.engine.describeFile({ query, variables }, limits, new ExecutionReport())
    return reports
  }
  const [short, long] = [await reportsOf(1), await reportsOf(900)]
  assert.ok(long - short >= 4, `${short} reports, then ${long}`)
})

test('of many long documents one step is done in a turn of the event loop', async () => {
  await using service = await openWatchedEngine()
  let [turn, isOver] = [0, false]
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const steps = new Map<number, number>()
  const worked = (): void => void steps.set(turn, (steps.get(turn) ?? 0) + 1)
  await Promise.all(
    Array.from({ length: 9 }, async (_, document) => {
      const query = nodes(times(490, (n) => `unknownField${document}n${n}`))
      const request = { query, variables: null, operationName: null }
      assert.equal((await service.engine.execute(request, { ...unlimited, worked })).kind, 'errors')
    }),
  )
  isOver = true
  assert.ok(steps.size >= 36 && Math.max(...steps.values()) <= 2, [...steps.values()].join())
})

test('of the mistakes in long variables fewer are described, because each repeats the value', async () => {
  await using service = await openWatchedEngine()
  for (const [length, errors] of [
    [10, 11],
    [300, 7],
    [19_000, 2],
  ]) {
    const unknown = Array.from({ length: 20 }, (_, n) => [`titel${n}`, 'a'.repeat(length ?? 0)])
    const variables = { where: Object.fromEntries(unknown) }
    const answer = await service.engine.execute({ query: asked, variables })
    assert.equal(answer.kind === 'errors' ? answer.errors.length : 0, errors)
  }
})
