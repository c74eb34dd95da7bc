/**
 * Searches for the queries and refused requests that use the most CPU per point charged (src/query/price/cost.ts). Prints
 * the twenty worst in milliseconds per point, and how many exceed the limits for a point.
 * Usage: node bench/costs/cost-search.ts DATABASE [trees=10000] [joins=1000] [only=WORDS] [share=1] [seed=1]
 *   [patience=10000] [shown=20]
 * DATABASE is a path or a URL, of a PostgreSQL server on this machine; it holds an imported news corpus and is only
 * read. `only`: part of a name. `share`: of all questions, those that are asked. `patience`: milliseconds after which a
 * question is given up. The signal TERM ends the search, and prints what was found by then. Reads /proc for PostgreSQL.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { QueryEngine } from '../../src/query/execute/execute.ts'
import type { Model } from '../../src/schema/model/model.ts'
import { openEngine } from '../support/engine.ts'
import { readOptions } from '../support/options.ts'
import type { Asked, Reported } from './cost-search-child.ts'
import { operations } from './operations.ts'
import { type Question, QuestionMaker, type Random, type Samples } from './questions.ts'
import { documents } from './worst-documents.ts'

const [url = '', ...options] = process.argv.slice(2)
if (url === '' || url.includes('=')) throw new Error('Name the database first.')
const { trees, joins, seed, patience, only, share, shown } = readOptions(options, {
  trees: 10_000,
  joins: 1_000,
  only: '',
  share: 1,
  seed: 1,
  patience: 10_000,
  shown: 20,
})
/** Milliseconds of CPU that a point pays for at most, and that 95 in 100 questions stay below. */
const [most, usual] = [12, 5]
/** So many of the worst are asked again, since the first time also pays for compiling and for pages that nobody had read. */
const askedAgain = 60

interface Measured {
  readonly question: Question
  readonly points: number
  readonly cpu: number
  readonly outcome: string
}

const random = randomOf(seed)
const maker = await createMaker()
let child = await start()
const measured: Measured[] = []
let isStopped = false
process.once('SIGTERM', () => {
  isStopped = true
})
for (const question of questions()) {
  if (isStopped) break
  if (!question.name.includes(only) || random() >= share) continue
  measured.push(await measure(question))
  if (measured.length % 500 === 0)
    console.error(`${measured.length} asked, ${Math.round(process.uptime())} s`)
}
const again = measured.toSorted(byCost).slice(0, askedAgain)
for (const one of again) {
  if (isStopped) break
  const times = [await measure(one.question), await measure(one.question)]
  measured[measured.indexOf(one)] = times.reduce((a, b) => (b.cpu < a.cpu ? b : a), one)
}
child.kill('SIGKILL')
print(measured.toSorted(byCost))
process.exit()

function* questions(): Generator<Question> {
  for (const [name, text] of Object.entries(operations)) yield { name, text, variables: {} }
  for (const [name, { text, variables = {} }] of Object.entries(documents))
    yield { name: `document ${name}`, text, variables }
  yield* maker.conditions()
  yield* maker.sorts()
  yield* maker.groups()
  yield* maker.facets()
  yield* maker.semiJoins(joins)
  yield* maker.trees(trees)
  yield* maker.distinct()
}

function print(all: readonly Measured[]): void {
  console.log('ms/point   ms CPU  points  question')
  for (const { question, points, cpu, outcome } of all.slice(0, shown)) {
    const figures = [
      (cpu / points).toFixed(1).padStart(8),
      cpu.toFixed(1).padStart(8),
      String(points).padStart(7),
    ]
    console.log(`${figures.join(' ')}  ${question.name.slice(0, 200)} (${outcome})`)
  }
  const over = (limit: number): number => all.filter(({ cpu, points }) => cpu / points > limit).length
  const share = ((100 * over(usual)) / all.length).toFixed(1)
  console.log(
    `${all.length} questions; over ${most} ms a point: ${over(most)}, over ${usual}: ${over(usual)} (${share} %).`,
  )
}

function byCost(a: Measured, b: Measured): number {
  return b.cpu / b.points - a.cpu / a.points
}

async function measure(question: Question): Promise<Measured> {
  // No text is asked twice, so that nothing is answered from what was kept.
  const text = `${question.text}#${Math.random()}`
  const asked: Asked = { text, variables: question.variables }
  const asking = child
  const answer = await new Promise<Pick<Measured, 'points' | 'cpu' | 'outcome'>>((resolve) => {
    let points = 1
    const end = (result: Pick<Measured, 'points' | 'cpu' | 'outcome'>): void => {
      clearTimeout(timer)
      asking.removeAllListeners()
      resolve(result)
    }
    const giveUp = (): void => end({ points, cpu: patience, outcome: 'given up' })
    const timer = setTimeout(giveUp, patience)
    asking.once('exit', giveUp)
    asking.on('message', (message: Reported) => {
      if (message.kind === 'points') ({ points } = message)
      if (message.kind === 'answered') end(message)
    })
    asking.send(asked)
  })
  if (answer.outcome === 'given up') {
    asking.kill('SIGKILL')
    child = await start()
  }
  return { question, points: answer.points, cpu: answer.cpu, outcome: answer.outcome }
}

async function start(): Promise<ChildProcess> {
  const started = fork(new URL('./cost-search-child.ts', import.meta.url), [url])
  await once(started, 'message')
  return started
}

async function createMaker(): Promise<QuestionMaker> {
  await using opened = await openEngine(url)
  const { engine, model, schema } = opened
  return new QuestionMaker(schema, await readSamples(engine, model), random)
}

/** Values of the newest records, by the name of the property. */
async function readSamples(engine: QueryEngine, model: Model): Promise<Samples> {
  const found = new Map<string, unknown[]>()
  const gather = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const element of value) gather(element, name)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) gather(inner, key)
    else found.set(name, [...(found.get(name) ?? []), value])
  }
  for (const { rootField } of model.collections) {
    const answer = await engine.execute({
      query: `{ list: ${rootField}(first: 20) { nodes { uri cid did rkey indexedAt changedAt recordJson } } }`,
    })
    if (answer.kind === 'data') gather(JSON.parse(Buffer.from(answer.body).toString()).data.list.nodes, '')
  }
  return found
}

function randomOf(first: number): Random {
  let state = first
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
