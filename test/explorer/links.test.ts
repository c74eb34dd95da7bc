/** Pages of lexicon sets that the explorer was not made for: all render, links lead to pages, and filters find. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemas as networkDocuments } from '@atproto/api'
import { parseHTML } from 'linkedom'
import { longestAddress, recordAddress } from '../../src/explorer/addresses.ts'
import type { ShownField } from '../../src/explorer/fields/shown-field.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { operatorsOf } from '../../src/ask/fields.ts'
import { chartParameters, filterParameters, topicParameters } from '../../src/explorer/view/parameters.ts'
import { readView } from '../../src/explorer/view/view.ts'
import { readLexiconFolder, stressLexicons } from '../golden/corpora.ts'
import type { Json } from '../reference/shapes.ts'
import type { Model } from '../../src/schema/model/model.ts'
import { modelOf } from '../support/service/agents.ts'
import type { StoredLine } from '../support/service/engine.ts'
import { explorerOver, type OpenedExplorer } from '../support/service/explorer.ts'
import { collections, libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import { buildRecord } from '../support/records/records.ts'
import { rounds, seed } from '../support/rounds.ts'
import { drawCorpus } from '../support/random/property.ts'
import { drawer } from '../support/service/requests.ts'
import { news } from '../support/service/library.ts'
import { openTestService, type TestServiceGiven } from '../support/service/service.ts'
import { line, thing } from '../support/records/things.ts'
import { assertHarmless } from './harmless.ts'

const schemas = new URL('../schemas/', import.meta.url)
const standard = readLexiconFolder(new URL('site-standard/lexicons/', schemas))
const many = { type: 'array', items: { type: 'string', maxLength: 40 } }

const given = ({ documents: lexicons, references }: typeof standard) => ({ lexicons, references })

function linesOf(set: string): readonly StoredLine[] {
  const lines = readFileSync(new URL(`${set}/records.jsonl`, schemas), 'utf8')
    .trim()
    .split('\n')
  const indexedAt = (at: number) => `2026-11-18T09:${String(at).padStart(2, '0')}:00Z`
  return lines.map((line, at) => ({ indexedAt: indexedAt(at), ...JSON.parse(line) }))
}

const sets: Readonly<Record<string, () => TestServiceGiven | Promise<TestServiceGiven>>> = {
  news,
  stress: () => ({ ...given(stressLexicons), records: linesOf('stress') }),
  'standard.site': () => ({ ...given(standard), records: linesOf('site-standard') }),
  network: () => ({ lexicons: networkDocuments as readonly Json[], records: linesOf('network') }),
  things: () => ({
    lexicons: [thing({}, 'org.example.bare'), thing({ many, size: { type: 'integer' } })],
    records: [
      line('a', {}, {}, 'org.example.bare'),
      { ...line('b', { many: ['one', 'two'] }), uri: 'at://did:web:localhost%3A8080/org.example.thing/b' },
    ],
  }),
  'nothing yet': () => ({ ...news(), records: [] }),
}

for (const [name, opened] of Object.entries(sets))
  test(`each link and filter on the pages of ${name} leads to a page`, async () => {
    const { lexicons, references = {}, records = [] } = await opened()
    const model = modelOf(lexicons, references)
    await using service = await openTestService({ lexicons, references, records })
    const explorer = explorerOver(service, model)
    await assertLinked(explorer, model, records)
    if (name !== 'nothing yet') await assertFilters(explorer, model)
  })

test(`each link and filter on the pages of a library at random leads to a page, seed ${seed}`, async () => {
  const [lexicons, references] = [libraryLexicons, libraryReferences]
  const model = modelOf(lexicons, references)
  const records = [...(await drawCorpus(seed)).records, ...(await extremes())]
  await using service = await openTestService({ lexicons, references, records })
  const explorer = explorerOver(service, model)
  const pages = [
    'charts?by=serial',
    'charts?by=labels',
    'topic?serial.from=1',
    'topic?serial.from=1&panel=values',
  ]
  const more = pages.map((each) => `/c/${collections.book}/${each}`)
  await assertLinked(explorer, model, records, more)
  await assertFilters(explorer, model)
})

const extremeTexts = ['', ' ', 'x'.repeat(1_000), 'x'.repeat(1_001), '𝒳'.repeat(501)]

/** Books whose values hardly fit in addresses, or do not; several have each, so that facets and charts show it. */
function extremes() {
  return Promise.all(
    [...extremeTexts, ...extremeTexts, ...extremeTexts].map((text, at) => {
      const number = at % 2 === 0 ? Number.MAX_SAFE_INTEGER : -(10 ** 15)
      const about = `at://did:web:${'a'.repeat(1_000)}/org.example.any/1`
      return buildRecord(collections.book, {
        rkey: `extreme${at}`,
        value: {
          title: 'a',
          medium: text,
          labels: [text],
          serial: number,
          scores: [number],
          about,
          sources: [about],
          imprint: { trade: text },
          outline: { mood: text },
          credits: [{ name: 'a', craft: text }],
        },
      })
    }),
  )
}

test('a value that no address can have is shown, and is not a link', async () => {
  const [lexicons, references] = [libraryLexicons, libraryReferences]
  const service = await openTestService({ lexicons, references, records: await extremes() })
  await using explorer = explorerOver(service, modelOf(lexicons, references))
  for (const field of ['labels', 'credits_craft']) {
    const { document } = parseHTML((await explorer.get(`/c/${collections.book}/filter?field=${field}`)).body)
    const shown = Array.from(document.querySelectorAll('.facet li'), (item) => [
      ...['.name', '.count'].map((part) => item.querySelector(part)?.textContent),
      Array.from(item.querySelectorAll('a'), ({ className }) => className).join(' '),
    ])
    const nameOf = (text: string) => (text.trim() === '' ? `blank (${text.replaceAll(' ', '␣')})` : text)
    const expected = extremeTexts.map((text) => [
      nameOf(text),
      '3',
      text.length === 1_000 ? 'value exclude' : '',
    ])
    assert.deepEqual(shown, expected, field)
  }
})

const samples: Readonly<Record<string, string>> = {
  integer: '1',
  boolean: 'true',
  datetime: '2026-11-01',
  strongRef: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.any/1',
  atUri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.any/1',
}

/** Of each type of field and way to it one: pages of their values, and each condition on them. Some are drawn. */
async function assertFilters({ get }: OpenedExplorer, model: Model): Promise<void> {
  const all = createSubjects(model).all.flatMap(({ collection, fields }) =>
    Array.from(fields.values(), (field) => ({ place: `/c/${collection.nsid}`, field })),
  )
  const addresses = [...Map.groupBy(all, ({ field }) => kindOf(field)).values()].flatMap(([first]) => {
    if (first === undefined) return []
    const { place, field } = first
    const conditions = operatorsOf(field).map(
      (operator) =>
        `${place}?facets=-&${field.name}.${operator}=${operator === 'missing' ? 0 : (samples[field.type.kind] ?? 'a')}`,
    )
    return [`${place}/filter?field=${field.name}&find=a`, ...conditions]
  })
  const draw = drawer(seed)
  for (let left = rounds(15); left > 0; left -= 1) {
    const address = addresses[draw(addresses.length)] ?? ''
    const { status, body } = await get(address)
    assert.equal(status, 200, `${address} (seed ${seed}): ${body}`)
  }
}

function kindOf({ type, isArray, isGroup, targetTitle, steps }: ShownField): string {
  return JSON.stringify([
    type.kind,
    type.kind === 'string' && [type.freeText, type.bounded],
    isArray,
    isGroup,
    targetTitle !== null,
    steps.map(({ some, record }) => [some, record !== null]),
  ])
}

/**
 * Follows links from the first page and from the filters of all fields: a few of each kind, and not without end. Of all
 * others on these pages, the view is one that an address can have.
 */
async function assertLinked(
  explorer: OpenedExplorer,
  model: Model,
  records: readonly { readonly uri: string }[] = [],
  more: readonly string[] = [],
): Promise<void> {
  const given = new Set(records.map(({ uri }) => recordAddress(uri)))
  const wrong: string[] = []
  const perKind = new Map<string, number>()
  const known = new Set<string>()
  const queue: { readonly address: string; readonly on: string }[] = []
  const add = (address: string, on: string): void => {
    const [path = '', query = ''] = address.split('?')
    const names = [...new URLSearchParams(query).keys()].toSorted().join(' ')
    const kind = `${path.replace(/^\/at\/.*\/(.*)\/.*$/, '/at/$1').replace(/^\/at\/did:.*/, '/at')} ${names}`
    const seen = perKind.get(kind) ?? 0
    if (known.has(address) || seen >= 2 || known.size >= mostPages) return
    known.add(address)
    perKind.set(kind, seen + 1)
    queue.push({ address, on })
  }
  for (const page of ['/', ...more]) add(page, 'first')
  add('/search?q=a', 'first')
  const { all: subjects, of } = createSubjects(model)
  const problemOf = (link: string): string | null => {
    const [, nsid = '', query = ''] = /^\/c\/([^/?]+)[^?]*\?(.*)$/.exec(link) ?? []
    const subject = of(nsid)
    if (subject === null) return null
    const given = [...new URLSearchParams(query)]
    // Blank values are those of empty inputs.
    if (given.some(([, value]) => value.trim() === '')) return 'blank'
    const own = ['lang', 'bom', ...filterParameters, ...chartParameters, ...topicParameters]
    const { problems } = readView(given, subject, own)
    return problems[0]?.kind ?? null
  }
  for (const { collection, fields } of subjects) {
    const words = collection.searchFields.length > 0 ? ['?q=a'] : []
    for (const page of ['', '?show=table', '?show=cards', ...words, '/charts'])
      add(`/c/${collection.nsid}${page}`, 'first')
    for (const field of [...fields.keys()].slice(0, Math.ceil(60 / subjects.length)))
      add(`/c/${collection.nsid}/filter?field=${encodeURIComponent(field)}`, 'first')
  }
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { address, on } = next
    const { status, body, cost } = await explorer.get(address)
    assert.ok(cost <= 250, `${address} costs ${cost} points`)
    const text = body.slice(body.indexOf('<main'), body.indexOf('</main')).replaceAll(/<[^>]*>/g, ' ')
    // Records refer to some that are not indexed.
    const isMissing = status === 404 && address.startsWith('/at/did:') && !given.has(address)
    if (status !== 200 && !isMissing)
      wrong.push(`${address} on ${on}: ${status} ${text.trim().slice(0, 300)}`)
    else if (!body.startsWith('{')) assertHarmless(body)
    for (const [, href = ''] of body.matchAll(/<a [^>]*href="(\/[^"]*)"/g)) {
      const link = href.replaceAll('&amp;', '&').replace(/#.*$/, '')
      assert.ok(link.length <= longestAddress + '&lang=en'.length, link)
      if (/^\/(?:api|export|explorer)\//.test(link)) continue
      add(link, address)
      const problem = problemOf(link)
      if (problem !== null) wrong.push(`${link} on ${address}: ${problem}`)
    }
  }
  assert.ok(known.size >= Math.min(mostPages, subjects.length * 5), `${known.size} pages`)
  assert.deepEqual(wrong, [])
}

const mostPages = rounds(20)
