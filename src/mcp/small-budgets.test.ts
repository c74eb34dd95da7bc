/** Over a lexicon with long names, each answer keeps to a small `max_tokens`, or a refusal says how many tokens it needs. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { createAgent, engineEndpoint, modelOf } from '../../test/support/service/agents.ts'
import { onOneDatabase } from '../../test/support/store/databases.ts'
import { buildRecord, refTo } from '../../test/support/records/records.ts'
import { rounds, seed } from '../../test/support/rounds.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'
import { AskError } from '../ask/ask-error.ts'
import { EndpointError } from '../endpoint/endpoint.ts'

const long = (start: string) =>
  `${start}OfTheInterdepartmentalZwischenstaatlicheArbeitsgruppenkennzeichnungsverordnung`
const text = { type: 'string', maxLength: 30 }
const ref = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const fields = ['kind', 'region', 'name', 'keeper', 'holder', 'place'].map(long)
const [numbers, at, list, about] = ['number', 'publishedAt', 'tags', 'about'].map(long) as [
  string,
  string,
  string,
  string,
]
const [one, other] = ['one', 'other'].map((name) => `test.budget.${long(name).slice(0, 63)}`) as [
  string,
  string,
]
const own = {
  ...Object.fromEntries(fields.map((name) => [name, text])),
  [numbers]: { type: 'integer' },
  [at]: { type: 'string', format: 'datetime' },
  [list]: { type: 'array', items: text },
  title: { type: 'string', maxGraphemes: 300 },
}
const lexicons = [recordLexicon(one, own), recordLexicon(other, { ...own, [about]: ref })]
const references = { [`${other}#${about}`]: [one] }

async function records() {
  const value = (number: number) => ({
    ...Object.fromEntries(fields.map((name) => [name, `${name.slice(0, 8)} 報道 ${number % 3}`])),
    [numbers]: number,
    [at]: `2026-10-${10 + number}T00:00:00.000Z`,
    [list]: [`Ännchen ${number}`, 'Möllenkamp'],
    title: `${'A title of the working group '.repeat(number)}${number}`,
  })
  const ones = await Array.fromAsync({ length: 8 }, (_, number) =>
    buildRecord(one, { rkey: `one${number}`, value: value(number) }),
  )
  const others = await Array.fromAsync(ones, (record, number) =>
    buildRecord(other, { rkey: `other${number}`, value: { ...value(number), [about]: refTo(record) } }),
  )
  return [...ones, ...others]
}

const paths = [...fields, at, list, about, `${about}.${fields[0]}`, 'title', 'did']
const some = fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 4 })
const value = fc.constantFrom('none', 'zwischenstaatliche 報道 0', 'keeperOf 報道 1', null, 'x'.repeat(300))
const filters = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...paths), value), { maxLength: 5 })
  .map((all) => Object.fromEntries(all))
const maybe = <One>(given: fc.Arbitrary<One>) => fc.option(given, { nil: undefined })
const narrowing = {
  collection: fc.constant(other),
  filters: maybe(filters),
  search: maybe(fc.constantFrom('working', 'zwischenstaatlich nothing', 'title:group OR x')),
  text: maybe(fc.constantFrom('group', 'nothing at all', 'x'.repeat(200))),
  since: maybe(fc.constantFrom('last 7 days', '2026-10', '2031')),
  cite: maybe(fc.boolean()),
}
const calls = fc.oneof(
  fc.tuple(
    fc.constant('search_records'),
    fc.record({ ...narrowing, fields: maybe(some), detail: maybe(fc.constant('full')) }),
  ),
  fc.tuple(
    fc.constant('aggregate'),
    fc.record({
      ...narrowing,
      by: maybe(some),
      measures: maybe(
        fc.uniqueArray(fc.constantFrom(`avg:${numbers}`, `max:${at}`, `distinct:${list}`, 'percent'), {
          maxLength: 4,
        }),
      ),
      share: maybe(filters),
      samples: maybe(fc.constant(2)),
      top: maybe(fc.constantFrom(...paths).map((by) => ({ by }))),
    }),
  ),
  fc.tuple(
    fc.constant('describe'),
    fc.record({ collection: maybe(fc.constant(other)), field: maybe(fc.constantFrom(...paths)) }),
  ),
  fc.tuple(
    fc.constant('describe'),
    fc.record({ name: fc.constantFrom('title', 'A title of', 'x'.repeat(300), 'one1') }),
  ),
  fc.tuple(
    fc.constant('get_record'),
    fc.record({
      collection: fc.constantFrom(one, other),
      value: fc.constantFrom('one1', 'other7', 'group'),
      cite: maybe(fc.boolean()),
    }),
  ),
)

onOneDatabase('answers keep to few tokens, however long the names of a lexicon are', async (database) => {
  await using service = await openTestService({ lexicons, references, records: await records(), database })
  const agent = createAgent(
    modelOf(lexicons, references),
    engineEndpoint(service.engine, undefined, { points: 100_000 }),
  )
  let answered = 0
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 200, max: 400 }), async ([tool, args], max_tokens) => {
      const answer = async (most: number) => {
        const given = JSON.parse(JSON.stringify({ ...args, max_tokens: most }))
        const text = await agent.text(tool, given)
        assert.ok(countTokens(text) <= most, `${countTokens(text)} of ${most}: ${text}`)
        answered += 1
      }
      // A citation is refused before the rest of the answer is known.
      await answer(max_tokens).catch(refused).catch(refused)

      async function refused(error: unknown): Promise<void> {
        if (!(error instanceof AskError || error instanceof EndpointError)) throw error
        const [, needed] = /give max_tokens, (\d+) or more\.$/.exec(error.message) ?? []
        if (needed !== undefined) await answer(Number(needed))
      }
    }),
    { seed, numRuns: rounds(200) },
  )
  assert.ok(answered > 20)
})
