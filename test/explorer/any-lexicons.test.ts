/** Pages of collections that the program knows nothing of: a library, documents of standard.site, and odd lexicons. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stressLexicons, readLexiconFolder } from '../golden/corpora.ts'
import { operatorsOf } from '../../src/explorer/view/conditions.ts'
import type { ShownField } from '../../src/explorer/fields/shown-field.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { modelOf } from '../support/service/agents.ts'
import { test } from 'node:test'
import { openExplorer } from '../support/service/explorer.ts'
import { libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'

const schemas = new URL('../schemas/', import.meta.url)
const recordsOf = (name: string) =>
  readFileSync(new URL(`${name}/records.jsonl`, schemas), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const site = readLexiconFolder(new URL('site-standard/lexicons/', schemas))
const sets = [
  { name: 'library', lexicons: libraryLexicons, references: libraryReferences, records: [] },
  {
    name: 'site.standard',
    lexicons: site.documents,
    references: site.references,
    records: recordsOf('site-standard'),
  },
  {
    name: 'stress',
    lexicons: stressLexicons.documents,
    references: stressLexicons.references,
    records: recordsOf('stress'),
  },
]
const samples: Readonly<Record<string, string>> = {
  integer: '1',
  boolean: 'true',
  datetime: '2026-11-01',
  strongRef: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.any/1',
  atUri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.any/1',
}

for (const { name, ...given } of sets) {
  test(`${name}: the first page, a search, and each way to show records`, async () => {
    await using explorer = await openExplorer(given)
    const nsids = createSubjects(modelOf(given.lexicons, given.references)).all.map(
      ({ collection }) => collection.nsid,
    )
    const shown = nsids.flatMap((nsid) =>
      ['', '?show=table', '?show=cards', '?q=a'].map((query) => `/c/${nsid}${query}`),
    )
    for (const address of ['/', '/search?q=a', ...shown]) {
      const { status, body, cost } = await explorer.get(address)
      assert.equal(status, 200, `${address}: ${body}`)
      assert.ok(cost <= 250, `${address}: ${cost} points`)
    }
  })

  test(`${name}: each field has a page of filters, and its filters find or find nothing`, async () => {
    await using explorer = await openExplorer(given)
    for (const { collection, fields } of createSubjects(modelOf(given.lexicons, given.references)).all)
      for (const field of oneOfEach(fields.values())) {
        const value = samples[field.type.kind] ?? 'a'
        const conditions = operatorsOf(field).map(
          (operator) => `${field.name}.${operator}=${operator === 'missing' ? 0 : value}`,
        )
        const addresses = [
          `filter?field=${field.name}`,
          `filter?field=${field.name}&find=a`,
          ...conditions.map((condition) => `?facets=-&${condition}`),
        ]
        for (const address of addresses) {
          const { status, body } = await explorer.get(
            `/c/${collection.nsid}${address.startsWith('?') ? '' : '/'}${address}`,
          )
          assert.equal(status, 200, `${collection.nsid} ${address}: ${body}`)
        }
      }
  })
}

/** One field of each type and way to it: all others are asked for in the same way. */
function oneOfEach(fields: Iterable<ShownField>): readonly ShownField[] {
  const kindOf = ({ type, isArray, isGroup, targetTitle, steps }: ShownField) =>
    JSON.stringify([
      type.kind,
      type.kind === 'string' && [type.freeText, type.bounded],
      isArray,
      isGroup,
      targetTitle !== null,
      steps.map(({ some, record }) => [some, record !== null]),
    ])
  return [...Map.groupBy(fields, kindOf).values()].flatMap((same) => same.slice(0, 1))
}
