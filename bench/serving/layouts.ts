/**
 * The same questions of two databases with the same records, in turns: such as a cluster and one server. Prints the
 * median of each and their ratio, and whether the answers are equal.
 * Usage: node bench/serving/layouts.ts DATABASE OTHER [seconds=1].
 */
import { textOf } from '../compare/ask.ts'
import { names, questions, titles } from '../compare/questions.ts'
import { readOptions } from '../support/options.ts'
import { ask, post, startServer } from '../support/server.ts'
import { median } from '../support/statistics.ts'

const [first = '', second = '', ...options] = process.argv.slice(2)
if (second === '' || second.includes('=')) throw new Error('Name two databases first.')
const { seconds } = readOptions(options, { seconds: 1 })

await using one = await startServer(first)
await using other = await startServer(second)
const ratios: number[] = []
console.log('| question | ms | of the other | ratio | answers |\n|---|---|---|---|---|')
for (const name of names) {
  const query = await textOf(one.url, questions[name])
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
  const [own, others] = [median(times[0]), median(times[1])]
  if (isEqual) ratios.push(others / own)
  const told = isEqual ? 'equal' : (its ?? '').slice(0, 120)
  console.log(
    `| ${titles[name]} | ${own.toFixed(2)} | ${others.toFixed(2)} | ${(others / own).toFixed(1)} | ${told} |`,
  )
}
console.log(`\nThe median ratio is ${median(ratios).toFixed(2)}.`)
