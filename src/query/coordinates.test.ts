/** Coordinates kept as text: their order is not that of their digits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { line, thing } from '../../test/support/records/things.ts'
import { openTestService } from '../../test/support/service/service.ts'

const text = { type: 'string', maxLength: 16 }
const number = { type: 'integer' }

async function open(properties: object) {
  const place = { type: 'ref', ref: '#place' }
  const lexicon = thing({ ...properties, name: text, place, places: { type: 'array', items: place } })
  lexicon.defs['place'] = { type: 'object', properties }
  const value = Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, type === 'string' ? '6.24' : 6]),
  )
  const records = [line('a', { ...value, name: 'x', place: value, places: [value] })]
  const service = await openTestService({ lexicons: [lexicon], records })
  const count = async (where: string) =>
    (await service.data(`{ list: orgExampleThing(where: ${where}) { totalCount } }`)).list.totalCount
  return { count, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('coordinates kept as text are not compared by their order, wherever they are', async () => {
  for (const pair of [
    { latitude: text, longitude: text },
    { lat: text, lon: text },
    { lat: number, lng: text },
  ]) {
    await using service = await open(pair)
    for (const [name, { type }] of Object.entries(pair))
      for (const place of ['X', '{place: X}', '{NOT: {places: {some: X}}}'])
        for (const order of ['gt', 'gte', 'lt', 'lte']) {
          const where = (condition: string) => service.count(place.replace('X', `{${name}: ${condition}}`))
          const expected = new RegExp(
            `\`${name}\` is a number that is kept as text, and \`${order}\` compares`,
          )
          if (type === 'integer') await where(`{${order}: 40}`)
          else await assert.rejects(where(`{${order}: "40", ne: "1"}`), expected)
          await where(type === 'integer' ? '{eq: 6}' : '{eq: "6.24", startsWith: "6"}')
        }
    assert.equal(await service.count('{name: {gte: "w"}}'), 1)
  }
})

test('a latitude without a longitude is a text like others', async () => {
  await using service = await open({ latitude: text })
  assert.equal(await service.count('{latitude: {gte: "40"}}'), 1)
})
