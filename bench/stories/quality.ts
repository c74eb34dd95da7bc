/**
 * node bench/stories/quality.ts FILE…: precision and recall of stories over the judged pairs of pairs.txt, in SQLite
 * files with imported corpora and `stories.json`. A line of pairs.txt is a stratum, the number of pairs in the corpus
 * that each of its pairs stands for, and pairs: the keys of two articles without their first and last two characters,
 * `+` for one event and `-` for two. One reader judged them by title and summary, before any similarity was tried.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const nsid = 'tech.service.news.article'

interface Judged {
  readonly uris: readonly [string, string]
  readonly weight: number
  readonly isOne: boolean
  readonly isTuned: boolean
}

const judged = readFileSync(new URL('pairs.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .flatMap((line): Judged[] => {
    const [stratum = '', weight, ...pairs] = line.split(' ')
    const did = `did:plc:newscorpus${stratum.startsWith('dev') ? 'devfixture2222' : 'benchfixture22'}`
    return pairs.map((pair) => {
      const key = (at: number): string => `at://${did}/${nsid}/3${pair.slice(at, at + 10)}22`
      const uris = [key(0), key(10)].toSorted() as [string, string]
      const hash = createHash('sha256').update(uris.join(' ')).digest()
      return { uris, weight: Number(weight), isOne: pair.endsWith('+'), isTuned: (hash[0] ?? 0) % 2 === 0 }
    })
  })

const found = new Map<string, { readonly story: string; readonly language: string }>()
for (const path of process.argv.slice(2)) {
  using database = new DatabaseSync(path, { readOnly: true })
  const find = database.prepare(
    `select s.uri || t.".story:key" as story, t.record ->> 'language' as language from "${nsid}" t
     join base b on b.id = t.base left join base s on s.id = t.".story:base" where b.uri = ? and t.rkey = ?`,
  )
  for (const uri of judged.flatMap(({ uris }) => uris)) {
    const end = uri.lastIndexOf('/') + 1
    const row = find.get(uri.slice(0, end), uri.slice(end))
    if (row !== undefined) found.set(uri, { story: String(row.story), language: String(row.language) })
  }
}

const pairs = judged.flatMap((pair) => {
  const [a, b] = pair.uris.map((uri) => found.get(uri))
  if (a === undefined || b === undefined) return []
  const language = a.language === b.language ? a.language : 'mixed'
  return [{ ...pair, language, isJoined: a.story === b.story }]
})

function report(name: string, some: typeof pairs): void {
  const sum = (which: (pair: (typeof pairs)[number]) => boolean): number =>
    some.filter(which).reduce((total, { weight }) => total + weight, 0)
  const both = sum(({ isOne, isJoined }) => isOne && isJoined)
  const precision = (both / sum(({ isJoined }) => isJoined)).toFixed(3)
  const recall = (both / sum(({ isOne }) => isOne)).toFixed(3)
  console.log(`${name}: ${some.length} pairs, precision ${precision}, recall ${recall}`)
}

report('all', pairs)
report(
  'tuned on',
  pairs.filter(({ isTuned }) => isTuned),
)
report(
  'not tuned on',
  pairs.filter(({ isTuned }) => !isTuned),
)
for (const [language, some] of Map.groupBy(pairs, (pair) => pair.language)) report(language, some)
