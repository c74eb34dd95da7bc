import assert from 'node:assert/strict'
import { test } from 'node:test'
import { librarySchema } from '../../../test/support/random/enums.ts'
import { assertKnown, readArguments } from './export-arguments.ts'

const field = librarySchema().getQueryType()!.getFields().orgExampleLibraryBook!

test('texts are read by the type of their argument', () => {
  const given = {
    where: '{"pages": {"gt": 1}}',
    sortBy: 'publishedAt:desc, title',
    distinctOn: 'language , genre',
    first: '7',
    search: 'rain',
  }
  const { definitions, uses, variables } = readArguments(field.args, new Map(Object.entries(given)))
  assert.deepEqual(variables, {
    first: 7,
    where: { pages: { gt: 1 } },
    search: 'rain',
    sortBy: [{ field: 'publishedAt', direction: 'DESC' }, { field: 'title' }],
    distinctOn: ['language', 'genre'],
  })
  assert.deepEqual(uses.slice(0, 2), ['first: $first', 'where: $where'])
  assert.equal(definitions[0], '$first: Int')
})

test('lists may be JSON, and what should be JSON and is not is refused', () => {
  const read = (name: string, text: string) => readArguments(field.args, new Map([[name, text]])).variables
  assert.deepEqual(read('sortBy', ' [{"field": "title"}]'), { sortBy: [{ field: 'title' }] })
  for (const [name, text] of [
    ['where', 'pages'],
    ['first', 'many'],
    ['distinctOn', '[language'],
  ] as const)
    assert.throws(() => read(name, text), { message: new RegExp(`^\`${name}\` is not JSON\\.`) })
})

test('a parameter that is no argument is refused with the nearest name, or all names', () => {
  assertKnown(
    new Map([
      ['first', '1'],
      ['bom', '1'],
    ]),
    field,
    ['bom'],
  )
  assert.throws(() => assertKnown(new Map([['serach', 'x']]), field, ['bom']), /Did you mean `search`\?/)
  assert.throws(
    () => assertKnown(new Map([['zzzzzz', 'x']]), field, ['bom']),
    /An export has first, after, .*, bom\./,
  )
})
