import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newsLexicons, stressLexicons } from '../../../test/golden/corpora.ts'
import { recordDoc, text } from '../../../test/support/lexicons/documents.ts'
import { modelOf } from '../../../test/support/service/agents.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { createSubjects } from '../../explorer/fields/subject.ts'
import { createCatalogue } from '../../ask/collections.ts'
import { guessRoles } from './roles.ts'

function rolesOf(properties: object, hidden: readonly string[] = []) {
  const defs = { picture: { type: 'object', properties: { alt: text, url: address } } }
  const [collection] = modelOf([recordDoc('org.example.thing', properties, defs)], {}).collections
  assert.ok(collection)
  return guessRoles(collection, new Set(hidden))
}

const address = { type: 'string', format: 'uri' }
const time = { type: 'string', format: 'datetime' }
const picture = { type: 'ref', ref: '#picture' }

test('fields that represent a record are guessed from their kinds and names', () => {
  assert.deepEqual(
    rolesOf({
      canonicalUrl: address,
      siteName: text,
      headline: text,
      excerpt: text,
      archivedAt: time,
      createdAt: time,
      cover: picture,
      url: address,
    }),
    { title: 'headline', summary: 'excerpt', time: 'createdAt', image: 'cover_url', link: 'url' },
  )
})

test('a field is the title if its name ends in a title word and no other name is one', () => {
  assert.equal(rolesOf({ note: text, siteName: text }).title, 'siteName')
  assert.equal(rolesOf({ tag: { type: 'string', knownValues: ['a'] }, note: text }).title, 'note')
})

test('a collection without such fields has only the time of indexing', () => {
  const none = { title: null, summary: null, time: 'indexedAt', image: null, link: null }
  assert.deepEqual(rolesOf({ count: { type: 'integer' }, tags: { type: 'array', items: text } }), none)
  assert.deepEqual(rolesOf({ title: text, at: time }, ['title', 'at']), none)
})

test('pages and agents show the same fields of every collection', () => {
  const sets = [
    modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories),
    modelOf(libraryLexicons, libraryReferences),
    modelOf(stressLexicons.documents, stressLexicons.references),
  ]
  for (const model of sets) {
    const catalogue = createCatalogue(model)
    for (const { collection, roles } of createSubjects(model).all) {
      const { display, time, addresses } = catalogue.of(collection.nsid)
      assert.deepEqual(
        [display?.name ?? null, time, addresses[0]?.name ?? null],
        [roles.title, roles.time, roles.link],
        collection.nsid,
      )
    }
  }
})

test('fields that display.json names hold for agents too', () => {
  const model = modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)
  const given = { title: 'canonicalUrl', time: 'updatedAt', link: 'canonicalUrl' }
  const { display, time, addresses, brief } = createCatalogue(
    model,
    new Map([['tech.service.news.article', given]]),
  ).of('tech.service.news.article')
  assert.deepEqual([display?.name, time, addresses[0]?.name], ['canonicalUrl', 'updatedAt', 'canonicalUrl'])
  assert.deepEqual(brief.slice(0, 2), ['canonicalUrl', 'updatedAt'])
})
