/** Lists whose candidates are sorted before it is read whether the conditions hold for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { newsLexicons } from '../../test/golden/corpora.ts'
import type { StoredLine } from '../../test/support/engine.ts'
import { openTestService, waysOfLoading } from '../../test/support/service.ts'

const list = 'techServiceNewsArticle'
const said = 'OR: [{title: {contains: "the"}}, {description: {contains: "ing"}}]'
const wheres = [
  'title: {contains: "the"}',
  said,
  `${said}, language: {eq: "en"}`,
  `${said}, NOT: {section: {contains: "s"}}`,
]
const sorts = [
  '{field: publishedAt, direction: DESC}',
  '{field: title}',
  '{field: language}, {field: publishedAt}',
]
/** Texts are looked up, and still found often. */
const some = 4 * waysOfLoading

test('pages are the same whether candidates are verified before or after they are sorted', async () => {
  const records = [...buildDemoCorpus()] as unknown as readonly StoredLine[]
  const given = { lexicons: newsLexicons.documents, references: newsLexicons.references, records }
  await using before = await openTestService(given)
  await using after = await openTestService({ ...given, loading: some })
  for (const where of wheres)
    for (const sort of sorts) {
      let cursor = ''
      for (const side of ['first: 7', 'first: 7', 'last: 5']) {
        const at =
          cursor === '' ? '' : `, ${side.startsWith('first') ? 'after' : 'before'}: ${JSON.stringify(cursor)}`
        const page = `{ ${list}(${side}${at}, sortBy: [${sort}], where: {${where}}) {
          totalCount nodes { uri title } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
        const answer = await after.data(page)
        assert.deepEqual(answer, await before.data(page), page)
        cursor = String(answer[list].pageInfo.endCursor)
      }
    }
  const page = `{ ${list}(first: 3, sortBy: [${sorts[0]}], where: {${said}}) { nodes { uri } } }`
  assert.equal((await after.data(page))[list].nodes.length, 3)
  assert.match(after.opened.lastStatement(), /limit -1\) t\d+ cross join/)
})
