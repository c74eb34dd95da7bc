/**
 * The same questions of the same records in several databases, over HTTP, side by side in one run: median answer
 * times of one connection, and their ratio to the first database's. Answers must be the same.
 * Usage: node bench/databases.ts DATABASE DATABASE… [seconds=2] [rounds=3]. Each holds the same imported news corpus.
 */
import { isDeepStrictEqual } from 'node:util'
import { median, medianAlone, post, type Server, startServer } from './server.ts'
import { questions } from './questions.ts'

const given = process.argv.slice(2)
const option = (name: string, otherwise: number): number =>
  Number(given.find((it) => it.startsWith(`${name}=`))?.slice(name.length + 1) ?? otherwise)
const [seconds, rounds] = [option('seconds', 2), option('rounds', 3)]
const databases = given.filter((it) => !/^(seconds|rounds)=/.test(it))
if (databases.length < 2) throw new Error('Name two databases or more: the first is compared with.')

const outlets = 'techServiceNewsSource'
const asked: Record<string, string> = {
  ...questions,
  'an outlet with its newest 20': `{ ${outlets}(first: 20) { nodes { displayName techServiceNewsArticleViaSource(first: 20) { nodes { title publishedAt } } } } }`,
}

const servers: Server[] = []
for (const database of databases) servers.push(await startServer(database))
try {
  for (const [name, query] of Object.entries(asked)) {
    const answers = await Promise.all(servers.map(async ({ url }) => (await post(url, query)).json()))
    const isSame = answers.every((answer) => isDeepStrictEqual(answer, answers[0]))
    const times = servers.map((): number[] => [])
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { url }] of servers.entries())
        times[index]?.push(await medianAlone(url, query, seconds * 1000))
    const medians = times.map(median)
    const figures = medians.map(
      (ms) => `${ms.toFixed(3).padStart(8)} ms ×${(ms / (medians[0] ?? ms)).toFixed(2)}`,
    )
    console.log(`${name.padEnd(50)} ${figures.join('  ')}${isSame ? '' : '  ANSWERS DIFFER'}`)
  }
} finally {
  for (const server of servers) await server[Symbol.asyncDispose]()
}
