/** docs/versioning.md: what each change of a lexicon does to the schema. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { buildLexicons } from '../src/lexicon/lexicons.ts'
import { buildModel } from '../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'
import { findChanges } from '../src/cli/commands/serving/schema.ts'
import { schemaText } from '../src/schema/schema-text.ts'
import { recordLexicon } from './support/store/store.ts'
import type { Json } from './reference/shapes.ts'

/** Two collections; `properties` are those of the first. */
interface Lexicons {
  readonly documents: Record<string, Json>
  readonly properties: Record<string, Json>
  readonly references: Record<string, string[]>
}

function lexicons(): Lexicons {
  const properties = {
    title: { type: 'string', maxLength: 100 },
    body: { type: 'string' },
    genre: { type: 'string', knownValues: ['novel'] },
    pages: { type: 'integer', minimum: 0, maximum: 10_000 },
    about: { type: 'ref', ref: 'com.atproto.repo.strongRef' },
    open: { type: 'union', refs: ['#paper', '#audio'] },
    closed: { type: 'union', refs: ['#paper', '#audio'], closed: true },
  }
  const member = { type: 'object', properties: { name: { type: 'string' } } }
  return {
    documents: {
      book: recordLexicon('org.example.book', properties, {
        defs: { paper: member, audio: member, film: member },
      }),
      person: recordLexicon('org.example.person', { name: { type: 'string', maxLength: 100 } }),
    },
    properties,
    references: {},
  }
}

function schemaOf({ documents, references }: Lexicons) {
  const files = Object.entries(documents).map(([file, document]) => ({ file, document }))
  const result = buildLexicons(files, references)
  assert.ok(result.ok, JSON.stringify(result))
  return buildGraphQLSchema(buildModel(result.lexicons))
}

/** By the words of the page. */
const changes: Readonly<Record<string, readonly ((given: Lexicons) => unknown)[]>> = {
  'a collection is added': [
    ({ documents }) =>
      (documents['shop'] = {
        ...structuredClone(documents['person']),
        id: 'org.example.shop',
      }),
  ],
  'a description changes, or the list of required properties': [
    ({ properties }) => (properties['title'].description = 'Its name.'),
    ({ documents }) => (documents['book'].defs.main.record.required = ['title']),
  ],
  'known values are added': [({ properties }) => properties['genre'].knownValues.push('essay')],
  'an optional property is added': [({ properties }) => (properties['shelf'] = { type: 'string' })],
  'a string gets a `maxLength` of up to 5,000, which allows sorting by it': [
    ({ properties }) => (properties['body'].maxLength = 5000),
  ],
  'a member is added to a union': [
    ({ properties }) => properties['open'].refs.push('#film'),
    ({ properties }) => properties['closed'].refs.push('#film'),
  ],
  'a closed union is opened': [({ properties }) => delete properties['closed'].closed],
  'a property is removed or renamed': [
    ({ properties }) => delete properties['body'],
    ({ properties }) => {
      properties['text'] = properties['body']
      delete properties['body']
    },
  ],
  'a property gets another type, or becomes an array': [
    ({ properties }) => (properties['pages'] = { type: 'string' }),
    ({ properties }) => (properties['title'] = { type: 'array', items: properties['title'] }),
  ],
  'a string gets the format datetime or at-uri': [
    ({ properties }) => (properties['body'].format = 'datetime'),
    ({ properties }) => (properties['body'].format = 'at-uri'),
  ],
  "an integer's bounds no longer fit 32 bits": [({ properties }) => delete properties['pages'].maximum],
  'a string loses its `maxLength`, which ends sorting by it': [
    ({ properties }) => delete properties['title'].maxLength,
  ],
  'a member is removed from a union': [({ properties }) => properties['open'].refs.pop()],
  'a collection is removed': [({ documents }) => delete documents['person']],
  'a reference gets its first target in `references.json`; all other collections lose their lists in the other direction':
    [({ references }) => (references['org.example.book#about'] = ['org.example.book'])],
}

const page = readFileSync(new URL('../docs/versioning.md', import.meta.url), 'utf8')
const rows = Array.from(
  page.matchAll(/^\| (.+) \| (safe|dangerous|breaking) \|$/gm),
  ([, words = '', kind]) => ({
    words,
    kind,
  }),
)

test('every change that docs/versioning.md lists has its case', () => {
  assert.deepEqual(
    rows.map(({ words }) => words),
    Object.keys(changes),
  )
})

for (const { words, kind } of rows)
  test(`${words}: ${kind}`, () => {
    // Read from text, as `--diff` does.
    const before = buildSchema(schemaText(schemaOf(lexicons())).text)
    for (const change of changes[words] ?? []) {
      const changed = lexicons()
      change(changed)
      const { breaking, dangerous } = findChanges(before, schemaOf(changed))
      const found = breaking.length > 0 ? 'breaking' : dangerous.length > 0 ? 'dangerous' : 'safe'
      assert.equal(found, kind, `${String(change)}\n${[...breaking, ...dangerous].join('\n')}`)
    }
  })
