/**
 * Whole requests over HTTP, side by side in one run: our server, and the same bytes from memory through
 * the same framework. One server process each, asked in turn, with the load in this process.
 * Usage: node bench/http.ts DATABASE [seconds] [rounds]. The database holds an imported news corpus.
 */
import autocannon from 'autocannon'
import { pageAfter, pageField, questions } from './questions.ts'
import { median, medianAlone, post, startMemory, startServer } from './server.ts'

const [database, seconds = '2', rounds = '3'] = process.argv.slice(2)
if (database === undefined) throw new Error('Name the database file: node bench/http.ts lexigraph.db')

interface Figures {
  readonly perSecond: number[]
  readonly alone: number[]
}

const ours = await startServer(`sqlite:${database}`)
const first = pageAfter(null, 20)
const deep = pageAfter(await cursorAfterPages(500), 20)
const asked: Record<string, string> = { ...questions, 'page 1': first, 'page 500': deep }

const figures = new Map<string, { ours: Figures; memory: Figures }>()
for (const [name, query] of Object.entries(asked)) {
  const bytes = Buffer.from(await (await post(ours.url, query)).arrayBuffer())
  await using memory = await startMemory(bytes)
  const pair = {
    ours: { perSecond: [], alone: [] } as Figures,
    memory: { perSecond: [], alone: [] } as Figures,
  }
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const [side, { url }] of [
      ['ours', ours],
      ['memory', memory],
    ] as const) {
      pair[side].perSecond.push((await load(url, query, 16)).requests.average)
      pair[side].alone.push(await medianAlone(url, query, Number(seconds) * 500))
    }
  }
  figures.set(name, pair)
  console.log(row(name, pair))
}
await ours[Symbol.asyncDispose]()

const pages = (name: string): number => median(figures.get(name)?.ours.alone ?? [])
console.log(
  `page 500 / page 1, median of one connection: ${(pages('page 500') / pages('page 1')).toFixed(2)}`,
)

function row(name: string, { ours, memory }: { ours: Figures; memory: Figures }): string {
  const ratio = median(ours.perSecond) / median(memory.perSecond)
  return [
    name.padEnd(50),
    `${median(ours.perSecond).toFixed(0).padStart(7)} of ${median(memory.perSecond).toFixed(0).padStart(7)} requests/s`,
    `= ${ratio.toFixed(3)}`,
    `  one connection ${median(ours.alone).toFixed(3)} ms of ${median(memory.alone).toFixed(3)} ms`,
  ].join(' ')
}

async function load(url: string, query: string, connections: number): Promise<autocannon.Result> {
  const result = await autocannon({
    url,
    connections,
    duration: Number(seconds),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed.`)
  return result
}

async function cursorAfterPages(pages: number): Promise<string> {
  let cursor: string | null = null
  for (let page = 0; page < pages; page += 1) {
    const answer = (await (await post(ours.url, pageAfter(cursor, 20))).json()) as {
      data: Record<string, { pageInfo: { endCursor: string } }>
    }
    cursor = answer.data[pageField]?.pageInfo.endCursor ?? null
  }
  if (cursor === null) throw new Error('The corpus is too small for 500 pages.')
  return cursor
}
