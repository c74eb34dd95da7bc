/**
 * The same questions of two databases with the same records, in turns: such as a cluster and one server. Prints the
 * median of each and their ratio, and whether the answers are equal.
 * Usage: node bench/serving/layouts.ts DATABASE OTHER [seconds=1].
 */
import { ask as answered, textOf } from '../compare/ask.ts'
import { names, questions, titles } from '../compare/questions.ts'
import { readOptions } from '../support/options.ts'
import { ask, post, startServer } from '../support/server.ts'
import { median } from '../support/statistics.ts'

const [first = '', second = '', ...options] = process.argv.slice(2)
if (second === '' || second.includes('=')) throw new Error('Name two databases first.')
const { seconds } = readOptions(options, { seconds: 1 })

await using one = await startServer(first)
await using other = await startServer(second)
const [article, enrichment] = ['techServiceNewsArticle', 'techServiceNewsEnrichment']
const { data } = await answered(one.url, `{ ${article}(first: 1) { nodes { uri } } }`)
const [record] =
  (data as Record<string, { readonly nodes: readonly { readonly uri: string }[] }>)[article]?.nodes ?? []
/** Beside those of bench/compare, what a layout may do otherwise. */
const others: Readonly<Record<string, string>> = {
  'one record with its outlet': `{ ${article}ByUri(uri: "${record?.uri}") { title sourceResolved { ... on TechServiceNewsSource { displayName } } } }`,
  'count by topic, an array': `{ ${enrichment}Aggregate(groupBy: [mediaTopics], limit: 50) { groups { mediaTopics count } } }`,
  'newest 20 of a topic': `{ ${enrichment}(first: 20, where: {mediaTopics: {has: "medtop:11000000"}}) { nodes { summary } } }`,
  'articles with an enrichment of impact 8 and more': `{ ${article}(first: 20, where: {${enrichment}ViaArticle: {some: {impactLevel: {gte: 8}}}}) { nodes { title } } }`,
}
const ratios: number[] = []
console.log('| question | ms | of the other | ratio | answers |\n|---|---|---|---|---|')
for (const name of [...names, ...Object.keys(others)]) {
  const asked = names.find((each) => each === name)
  const query = asked === undefined ? (others[name] ?? '') : await textOf(one.url, questions[asked])
  const [answer, its] = await Promise.all(
    [one, other].map(async ({ url }) => (await post(url, query)).text()),
  )
  const isEqual = answer === its && answer?.includes('"data"') === true
  const times: [number[], number[]] = [[], []]
  const end = performance.now() + 1_000 * seconds
  while (performance.now() < end || times[0].length < 5)
    for (const [place, { url }] of [one, other].entries()) {
      const start = performance.now()
      await ask(url, query)
      times[place]?.push(performance.now() - start)
    }
  const [own, theirs] = [median(times[0]), median(times[1])]
  if (isEqual) ratios.push(theirs / own)
  const told = isEqual ? 'equal' : (its ?? '').slice(0, 120)
  console.log(
    `| ${asked === undefined ? name : titles[asked]} | ${own.toFixed(2)} | ${theirs.toFixed(2)} | ${(theirs / own).toFixed(1)} | ${told} |`,
  )
}
console.log(`\nThe median ratio is ${median(ratios).toFixed(2)}.`)
