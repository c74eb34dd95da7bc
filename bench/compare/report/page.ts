/** docs/performance.md and its plots, from the figures of a run. As a program: node bench/compare/report/page.ts FILE. */
import type { Measured } from '../load.ts'
import type { Connections, Results } from '../results.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Goal, format, goalsOf } from './goals.ts'
import { type Group, plot } from './plot.ts'
import { growing, markdown, medians, rates, resources, working } from './table.ts'

export function writePage(results: Results): void {
  write(
    'performance-median.svg',
    bars(results, 'Median at 1 connection, ms (shorter is better)', 1, 'median'),
  )
  write(
    'performance-rate.svg',
    bars(results, 'Requests/s at 16 connections (longer is better)', 16, 'perSecond'),
  )
  write('performance.md', page(results))
}

function page(results: Results): string {
  const { machine, corpus, seconds, rounds, workers, growth } = results
  const isRatioThatHolds = ({ what, holds }: Goal): boolean =>
    holds === true && what.endsWith('times PostGraphile')
  const ratiosThatHold = goalsOf(results).filter(isRatioThatHolds)
  const others = goalsOf(results).filter((goal) => !isRatioThatHolds(goal))
  const gigabytes = (machine.memory / 2 ** 30).toFixed(0)
  return `# Performance

Lexigraph next to what would be picked instead, and to what the hardware allows: the same records, the same questions, one interleaved run. This page is written by \`npm run bench\`; do not edit it.

${format(corpus.records)} records, ${format(corpus.articles)} of them articles; ${machine.cores} cores of ${machine.cpu || 'an unnamed CPU'}, ${gigabytes} GB; Node ${machine.node.slice(1)}. In each of ${rounds} ${rounds === 1 ? 'round' : 'rounds'} every system was started alone in turn and asked each question for ${format(seconds)} s at 1, 16 and 64 connections, with the load on the same machine. Figures are medians of the rounds. ${results.date.slice(0, 10)}.

- Lexigraph is the package as it is published, which is bundled. One process of each system answers; PostgreSQL has one for each connection, and Lexigraph on SQLite one for each core, where what takes more than a millisecond runs. Answers are never from memory, except where it says "asked again": there Lexigraph keeps answers while nothing is written, as it does by default.
- The limit is the bare statement with its JSON text, run in-process, and an echo of the same bytes over \`node:http\`, at one connection.
- In the plots, "the same bytes" are our answers from memory: through the HTTP framework that Lexigraph uses, and through \`node:http\` alone. "The bare statement" is run for each request behind \`node:http\`, where it finds less in the processor's caches than in a loop of its own: what lies between it and Lexigraph is Lexigraph's.

## The questions

${markdown([['', 'question'], ...results.questions.map(({ name, title }) => [name, title])])}

## How long

![Median at one connection](performance-median.svg)

${markdown(medians(results))}

## How many

![Requests per second](performance-rate.svg)

${markdown(rates(results))}

## What it takes

${markdown(resources(results))}

## Whether they say the same

${agreement(results)}
${workers === null ? '' : `\n## Two workers\n\n${markdown(working(workers))}\n`}${growth.length === 0 ? '' : `\n## Growth\n\n${markdown(growing(results))}\n`}
## What must hold

${ratiosThatHold.length} questions reach the multiple of PostGraphile's rate that they must (\`bench/compare/report/goals.ts\`; the last column of [how many](#how-many)). The other goals:

${markdown([['', 'must be', 'is', 'holds'], ...others.map(goalRow)])}
`
}

function goalRow({ what, asked, reached, holds }: Goal): readonly string[] {
  return [what, asked, reached, holds === null ? 'not measured' : holds ? 'yes' : '**no**']
}

function agreement({ questions, systems }: Results): string {
  const odd = questions.flatMap(({ name, answers }) =>
    Object.entries(answers).flatMap(([system, said]) =>
      said === 'same'
        ? []
        : [`- ${name}, ${systems[system]?.title}: ${said.replaceAll('|', '\\|').replaceAll('<', '&lt;')}`],
    ),
  )
  if (odd.length === 0) return 'All answers are the same.\n'
  return `All other answers are the same.\n\n${odd.join('\n')}\n`
}

function bars(results: Results, title: string, connections: Connections, figure: keyof Measured): string {
  const systems = Object.keys(results.systems)
  const groups: readonly Group[] = results.questions.map(({ name, measured }) => ({
    name,
    bars: systems.flatMap((system, series) => {
      const value = measured[system]?.[connections][figure]
      return value === undefined ? [] : [{ value, label: format(value), series }]
    }),
  }))
  const titles = systems.map((system) => results.systems[system]?.title ?? system)
  return plot(title, titles, groups)
}

function write(name: string, text: string): void {
  writeFileSync(new URL(`../../../docs/${name}`, import.meta.url), text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2)
  if (file === undefined)
    throw new Error('Name the file of results: node bench/compare/report/page.ts bench/results.json')
  writePage(JSON.parse(readFileSync(file, 'utf8')))
}
