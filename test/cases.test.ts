/** Every golden case under test/cases; `UPDATE_GOLDEN=1 npm test -- test/cases` writes the answers again. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  findOrphans,
  type GoldenCase,
  readCaseFile,
  readCases,
  resolveVariables,
  type Suffix,
  valueAt,
  writeCaseFile,
} from './golden/case-files.ts'
import { closeCorpora, corpusNamed } from './golden/corpora.ts'
import { judge } from './golden/judge.ts'
import { rounds, seed } from './support/rounds.ts'
import { onEveryEngine } from './support/store/databases.ts'
import { brokenRules, clusterRules, partsOf } from './support/clusters/rules.ts'
import { isRefusedOnClusters, isSpread } from './support/store/postgres.ts'

const isUpdate = process.env['UPDATE_GOLDEN'] === '1'
const cases = readCases()
const bodies = new Map<string, string>()
after(closeCorpora)

/** As on a cluster, a sixth in `npm test`, which the seed chooses. */
const isTried = (_: GoldenCase, at: number): boolean => !isSpread || rounds() > 1 || (at + seed) % 6 === 0

for (const golden of cases.filter(isTried)) {
  onEveryEngine(`golden case ${golden.name}`, async (database) => {
    const corpus = await corpusNamed(golden.corpus, database)
    const { query, operationName } = golden
    const variables = resolveVariables(golden)
    const request = { query, variables, operationName }
    const executed = await corpus.service.engine.execute(request)
    if (isSpread && executed.kind !== 'data' && isRefusedOnClusters(executed.errors)) return
    const answer =
      executed.kind === 'data'
        ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(executed.body))
        : { errors: executed.errors }
    if (isSpread && executed.kind === 'data')
      assert.deepEqual(brokenRules(corpus.service.opened.lastStatement(), corpus.service.opened.tables), [])
    if (executed.kind === 'data') {
      // As bytes: what one engine wrote the others must write.
      const body = Buffer.from(executed.body).toString()
      assert.equal(body, bodies.get(golden.name) ?? body)
      bodies.set(golden.name, body)
      // What an operation costs has tests of its own, so that another weight leaves the answers as they are.
      assert.deepEqual(answer.extensions, { cost: executed.report.points })
      delete answer.extensions
    }
    for (const { text, path, value } of golden.expectations) {
      const found = valueAt(answer, path)
      // `null` is also what is not there.
      assert.deepEqual(found ?? null, value, text)
    }
    if (golden.isJudged && executed.kind === 'data') await judge(corpus, request, answer.data)
    // As text, because the order of keys is part of an answer. What SQLite wrote the others must give.
    compare(golden, '.json', `${JSON.stringify(answer, null, 2)}\n`, isUpdate && database === 'sqlite')
    if (golden.fixesSql && !isSpread) {
      const { sql } = await corpus.service.engine.explain(request)
      compare(golden, database === 'postgres' ? '.postgres.sql' : '.sql', `${sql}\n`, isUpdate)
    }
  })
}

test('every answer and statement belongs to a case', () => {
  assert.deepEqual(findOrphans(), [])
})

for (const { what, example, isBroken } of clusterRules)
  test(`the statements of clusters are held to this: ${what}`, () => {
    assert.ok(isBroken(partsOf(example, ['r', 's'])))
  })

test('there are cases enough, with statements and with expectations that survive an update', () => {
  assert.ok(cases.length >= 70, `${cases.length} cases`)
  assert.ok(cases.filter(({ expectations }) => expectations.length > 0).length >= 25)
  assert.ok(cases.filter(({ fixesSql }) => fixesSql).length >= 12)
})

function compare({ name }: GoldenCase, suffix: Suffix, actual: string, isWritten: boolean): void {
  if (isWritten) return writeCaseFile(name, suffix, actual)
  const expected = readCaseFile(name, suffix)
  assert.ok(
    expected !== null,
    `${name}${suffix} is missing: write it with \`UPDATE_GOLDEN=1 npm test -- test/cases\`, then check it.`,
  )
  assert.equal(actual, expected)
}
