/**
 * Whether a change made Lexigraph much slower: our questions of the demo corpus beside the same bytes from memory
 * through the same framework, so that the machine counts little. The ratio is one of computing time per request,
 * since requests/s say more about what else runs. Machines still differ in what they do fast, so the ratio of each
 * question is divided by the one in guard-baseline.json, and the median of these quotients is what this machine makes of
 * the baseline. A question fails whose quotient is less than half of the median, twice in a row: then it alone has
 * become slower. All fail when the median itself is less than half: then a request as such has become slower.
 * Usage: npm run bench:guard. UPDATE_BASELINE=1 writes that file. Reads /proc, so it runs on Linux.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { type Server, startServer } from '../support/server.ts'
import { median } from '../support/statistics.ts'
import { importInto } from '../support/stores.ts'
import { ask, textOf } from './ask.ts'
import { startMemories } from './limits/servers.ts'
import { type Asked, type Measured, measureTimes, warmUp } from './load.ts'
import { deep, names, type QuestionName, questions } from './questions.ts'
import { pathOf } from './systems.ts'

/** Computing time per request of the bytes from memory to that of ours, at 16 connections: 1 would be the limit. */
type Ratios = Partial<Record<QuestionName, number>>

const baselineFile = new URL('./guard-baseline.json', import.meta.url)
const [rounds, requests, connections] = [8, 1_000, 16]
/** The demo's words and days for those of the corpus that the questions are about. */
const words: Readonly<Record<string, string>> = {
  zverev: 'quokka',
  campaign: 'election',
  coronavirus: 'the',
  trump: 'ing',
  '"zv"': '"qu"',
  '2020-04-20': '2026-09-20',
  '2020-04-01': '2026-09-01',
  '2020-05-01': '2026-11-01',
}

const work = mkdtempSync(join(tmpdir(), 'lexigraph-guard-'))
try {
  await using ours = await startServer(await importDemo())
  const queries = new Map<QuestionName, string>()
  const bytes = new Map<string, Uint8Array>()
  for (const name of names) {
    const query = inWordsOfDemo(await textOf(ours.url, name === 'Q2' ? deep(500) : questions[name]))
    queries.set(name, query)
    bytes.set(pathOf(name), (await ask(ours.url, query)).bytes)
  }
  await using memory = await startMemories('memory-server', bytes)
  const isUpdate = process.env['UPDATE_BASELINE'] === '1'
  const baseline: Ratios = isUpdate ? {} : JSON.parse(readFileSync(baselineFile, 'utf8'))
  const found: Ratios = {}
  for (const [name, query] of queries)
    for (const side of sidesOf(ours, memory, name, query)) await warmUp(side)
  console.log('question           ours/s  memory/s  ours ms  memory ms    ratio  baseline  quotient')
  const measure = async (name: QuestionName, query: string): Promise<void> => {
    const figures = await compare(ours, memory, name, query)
    found[name] = Number(figures.ratio.toPrecision(3))
    console.log(row(name, figures, baseline[name]))
  }
  for (const [name, query] of queries) await measure(name, query)
  // Something else may have had the machine.
  for (const name of slowerOnes(found, baseline)) await measure(name, queries.get(name) ?? '')
  if (isUpdate) writeFileSync(baselineFile, `${JSON.stringify(found, null, 2)}\n`)
  else report(medianQuotient(found, baseline), slowerOnes(found, baseline))
} finally {
  rmSync(work, { recursive: true })
}

interface Side {
  readonly perSecond: number
  /** Milliseconds of computing per request. */
  readonly cpu: number
}

interface Figures {
  readonly ours: Side
  readonly memory: Side
  readonly ratio: number
}

function sidesOf(ours: Server, memory: Server, name: QuestionName, query: string): readonly Asked[] {
  return [
    { url: ours.url, query, pid: ours.pid, databasePid: null },
    { url: new URL(pathOf(name), memory.url).href, query, pid: memory.pid, databasePid: null },
  ]
}

/** Side by side in each round, so that both have the same machine. */
async function compare(ours: Server, memory: Server, name: QuestionName, query: string): Promise<Figures> {
  const sides = sidesOf(ours, memory, name, query)
  const all = sides.map((): Measured[] => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, side] of sides.entries())
      all[index]?.push(await measureTimes(side, connections, requests))
  const of = (index: number): Side => {
    const measured = all[index] ?? []
    return {
      perSecond: Math.max(...measured.map((one) => one.perSecond)),
      // Whatever else runs takes caches away and adds to it: the least is what it is.
      cpu: Math.min(...measured.map((one) => one.cpu)),
    }
  }
  const [first, second] = [of(0), of(1)]
  return { ours: first, memory: second, ratio: second.cpu / first.cpu }
}

/** Questions that have become slower than the others have. */
function slowerOnes(found: Ratios, baseline: Ratios): readonly QuestionName[] {
  const least = medianQuotient(found, baseline) / 2
  return names.filter((name) => (quotient(found[name], baseline[name]) ?? least) < least)
}

/** What this machine, and the program as it is, make of the baseline. */
function medianQuotient(found: Ratios, baseline: Ratios): number {
  const quotients = names.map((name) => quotient(found[name], baseline[name])).filter((it) => it !== null)
  return quotients.length === 0 ? 1 : median(quotients)
}

/** Null for a question that is new. */
function quotient(ratio: number | undefined, before: number | undefined): number | null {
  return ratio === undefined || before === undefined ? null : ratio / before
}

function report(middle: number, slower: readonly QuestionName[]): void {
  console.log(`The median quotient is ${middle.toFixed(3)}.`)
  if (slower.length > 0)
    console.error(`${slower.join(', ')}: less than half as fast as the others make expect.`)
  if (middle < 0.5)
    console.error('All questions: less than half as fast as bench/compare/guard-baseline.json says.')
  if (slower.length > 0 || middle < 0.5) process.exitCode = 1
}

function row(name: string, { ours, memory, ratio }: Figures, before: number | undefined): string {
  return [
    name.padEnd(18),
    ours.perSecond.toFixed(0).padStart(6),
    memory.perSecond.toFixed(0).padStart(9),
    ours.cpu.toFixed(3).padStart(8),
    memory.cpu.toFixed(3).padStart(10),
    ratio.toFixed(3).padStart(8),
    (before?.toFixed(3) ?? 'new').padStart(9),
    (quotient(ratio, before)?.toFixed(3) ?? '').padStart(9),
  ].join(' ')
}

async function importDemo(): Promise<string> {
  const [file, database] = [join(work, 'demo.jsonl'), join(work, 'demo.db')]
  const lines = Array.from(buildDemoCorpus(), (record) => `${JSON.stringify(record)}\n`)
  writeFileSync(file, lines.join(''))
  await importInto([file])(database)
  return database
}

function inWordsOfDemo(query: string): string {
  return Object.entries(words).reduce((text, [from, to]) => text.replaceAll(from, to), query)
}
