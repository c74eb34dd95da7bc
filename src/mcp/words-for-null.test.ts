/** Words for a missing value, and empty lists, get an answer that names `null`, and what it names finds those records. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora } from '../../test/golden/corpora.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { news, open, reference } from '../../test/support/service/news-agent.ts'

after(closeCorpora)

const words = ['none', 'null', 'Missing', 'n/a', 'empty', ' ', [], ['none'], { eq: 'none' }, { in: [] }]
const lacking: Readonly<Record<string, Json>> = {
  language: { language: { isNull: true } },
  section: { section: { isNull: true } },
  wordCount: { wordCount: { isNull: true } },
  isAccessibleForFree: { isAccessibleForFree: { isNull: true } },
  publishedAt: { publishedAt: { isNull: true } },
  duplicateOf: { duplicateOf: { isNull: true } },
  'source.country': { source: { country: { isNull: true } } },
  tags: { NOT: { tags: { contains: '' } } },
  authors: { NOT: { authors: { some: {} } } },
}

async function answerTo(filters: Json): Promise<string> {
  const agent = open()
  try {
    const { count, hint } = await agent.call('aggregate', { collection: 'article', filters })
    // Every free text contains an empty one.
    return count > 0 ? '' : hint
  } catch (error) {
    return String(error)
  }
}

for (const [path, where] of Object.entries(lacking))
  test(`words for a missing ${path} are answered with null, which finds its records`, async () => {
    let named = 0
    for (const word of words) {
      const said = await answerTo({ [path]: word })
      if (said === '') continue
      const [, advised = ''] = /For records without \S+ write null: (\{.*?\})\.(?: |$)/.exec(said) ?? []
      assert.deepEqual(JSON.parse(advised || '{}'), { [path]: null }, `${JSON.stringify(word)}: ${said}`)
      named += 1
    }
    assert.ok(named >= words.length - 2, path)
    const { count } = await open().call('aggregate', { collection: 'article', filters: { [path]: null } })
    assert.equal(count, reference.count(`${news}.article`, where as never))
    assert.ok(count > 0 || path === 'source.country')
  })

test('other values, and fields that every record has, are answered without null', async () => {
  for (const filters of [
    { language: 'english' },
    { language: 'no' },
    { tags: ['nope'] },
    { title: { startsWith: 'Missing' } },
    { did: 'none' },
    { uri: 'none' },
  ])
    assert.doesNotMatch(await answerTo(filters as Json), /write null/)
})
