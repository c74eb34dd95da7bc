/** Properties named like the words of addresses and of groups: lists are filtered and sorted, and charts measure, by each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getNamedType, isObjectType } from 'graphql'
import { createRandom } from '../../demo/random.ts'
import { operators } from '../../src/ask/fields.ts'
import { collectionAddress } from '../../src/explorer/addresses.ts'
import { groupMeasures } from '../../src/explorer/chart-data/group-choices.ts'
import { measures } from '../../src/explorer/chart-data/over-time.ts'
import { periods } from '../../src/explorer/chart-data/periods.ts'
import { chartKinds } from '../../src/explorer/charts/chart-spec.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { panelNames } from '../../src/explorer/topic/panels.ts'
import {
  chartParameters,
  filterParameters,
  topicParameters,
  viewParameters,
} from '../../src/explorer/view/parameters.ts'
import { emptyView, shows } from '../../src/explorer/view/view.ts'
import { buildGraphQLSchema } from '../../src/schema/graphql/graphql.ts'
import { createReference } from '../reference/reference.ts'
import { buildRecord } from '../support/records/records.ts'
import { rounds, seed } from '../support/rounds.ts'
import { modelOf } from '../support/service/agents.ts'
import { openTestService } from '../support/service/service.ts'
import { recordLexicon } from '../support/store/store.ts'
import { pagesOver } from './pages.ts'

const nsid = 'org.example.odd'
const integer = { type: 'integer' }
const publishedAt = { type: 'string', format: 'datetime' }
const words = [
  ...new Set<string>(
    [
      ['lang', 'others', ...viewParameters, ...filterParameters, ...topicParameters, ...chartParameters],
      [...operators, ...groupMeasures, ...measures, ...periods, ...chartKinds, ...panelNames, ...shows],
      wordsOfGroups(),
    ].flat(),
  ),
]

/** What groups of any collection have. */
function wordsOfGroups(): readonly string[] {
  const schema = buildGraphQLSchema(modelOf([recordLexicon(nsid, { integer })], {}))
  const aggregate = getNamedType(schema.getQueryType()?.getFields()['orgExampleOddAggregate']?.type)
  const group = isObjectType(aggregate) ? getNamedType(aggregate.getFields()['groups']?.type) : null
  return isObjectType(group) ? Object.keys(group.getFields()) : []
}

test(`lists and charts take integers named like words of addresses (seed ${seed})`, async () => {
  const { fraction, sample } = createRandom(seed)
  const kinds = Object.fromEntries(words.map((word) => [word, integer]))
  const lexicons = [recordLexicon(nsid, { ...kinds, publishedAt })]
  const records = await Promise.all(
    Array.from({ length: 12 }, (_, at) => {
      const numbers = words.map((word) => [word, Math.floor(fraction() * 8)])
      const value = { ...Object.fromEntries(numbers), publishedAt: `2026-11-1${at % 3}T00:00:00Z` }
      return buildRecord(nsid, { rkey: `r${at}`, value })
    }),
  )
  await using service = await openTestService({ lexicons, records })
  const model = modelOf(lexicons, {})
  const { page, figure } = pagesOver({ service, reference: createReference(lexicons, {}, records) }, model)
  const subject = createSubjects(model).of(nsid)
  for (const word of rounds() > 1 ? words : sample(words, 12)) {
    const field = subject?.ownFields.get(word) ?? assert.fail(word)
    const { name } = field
    const numbers = records.map(({ value }) => Number(value[word]))
    const numberOf = (path: string) =>
      numbers[records.findIndex(({ uri }) => uri === path.replace('/at/', 'at://'))]
    const ascending = numbers.toSorted((one, other) => one - other)
    for (const [sort, wanted] of [
      [name, ascending],
      [`-${name}`, ascending.toReversed()],
    ] as const)
      assert.deepEqual((await page(`/c/${nsid}?sort=${sort}`)).records.map(numberOf), wanted, sort)
    const [value = 0] = numbers
    const own = { ...emptyView, conditions: [{ field, operator: 'is', values: [String(value)] } as const] }
    const { total } = await page(collectionAddress(nsid, own) ?? assert.fail(word))
    assert.equal(total, numbers.filter((each) => each === value).length, word)
    for (const measure of ['average', 'median']) {
      const { texts } = await figure(`/c/${nsid}/charts?measure=${measure}&of=${name}&by=${name}`)
      const means = texts.filter(([key]) => numbers.includes(Number(key))).map((cells) => cells.slice(0, 2))
      assert.deepEqual(
        means,
        [...new Set(ascending)].map((each) => [`${each}`, `${each}`]),
        `${measure} of ${word}`,
      )
    }
    const distinct = await figure(`/c/${nsid}/charts?measure=distinct&of=${name}&by=did`)
    assert.equal(distinct.texts[0]?.[1], String(new Set(numbers).size), word)
    const { texts, head } = await figure(`/c/${nsid}?split=${name}`)
    const counts = texts.flatMap((cells) => cells.slice(1)).map((cell) => Number(cell) || 0)
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      records.length,
      `${word}: ${head.join()}`,
    )
  }
})
