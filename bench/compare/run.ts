/** A run: what every system answers, then rounds in which each is started alone in turn and asked every question. */
import { sumOfFamily, writtenMemoryOf } from '../../test/support/processes.ts'
import { isDeepStrictEqual } from 'node:util'
import { type Server } from '../support/server.ts'
import { median } from '../support/statistics.ts'
import { ask, textOf } from './ask.ts'
import { openBare } from './limits/bare-statements.ts'
import { type Asked, type Measured, measure, warmUp } from './load.ts'
import type { Options } from './options.ts'
import { type DeepQuestion, type Question, type QuestionName, titles } from './questions.ts'
import { connections, type QuestionFigures, type SystemFigures } from './results.ts'
import { limitSystems, type System, urlFor } from './systems.ts'

export interface RunResult {
  readonly systems: Readonly<Record<string, SystemFigures>>
  readonly questions: readonly QuestionFigures[]
}

/** Lists of figures by key, in the order in which they came. */
class Gathered<Value> {
  private readonly lists = new Map<string, Value[]>()

  add(key: string, value: Value): void {
    const known = this.lists.get(key)
    if (known === undefined) this.lists.set(key, [value])
    else known.push(value)
  }

  of(key: string): readonly Value[] {
    return this.lists.get(key) ?? []
  }
}

export async function compare(
  loaded: readonly System[],
  names: readonly QuestionName[],
  options: Options,
): Promise<RunResult> {
  const { seconds, rounds } = options
  const answered = new Map<string, ReadonlyMap<QuestionName, Answer>>()
  for (const system of loaded) answered.set(system.name, await answersOf(system, names))
  const reference = answered.get(loaded[0]?.name ?? '') ?? new Map<QuestionName, Answer>()
  const database = loaded.find(({ name }) => name === 'lexigraph-sqlite')?.database ?? null
  const systems = [...loaded, ...limitSystems(options, reference, database)]

  const measured = new Gathered<Measured>()
  const bare = new Gathered<number>()
  const starts = new Gathered<number>()
  const memory = new Gathered<number>()
  for (let round = 0; round < rounds; round += 1) {
    for (const system of rotated(systems, round)) {
      const { name, engine, database, databasePid } = system
      const began = performance.now()
      await using server = await system.start()
      starts.add(name, server.startTook)
      const all = names.flatMap((question): { question: QuestionName; asked: Asked }[] => {
        const query = queryFor(system, question, answered)
        const url = urlFor(system, server, question)
        return query === null ? [] : [{ question, asked: { url, query, pid: server.pid, databasePid } }]
      })
      // What all questions have in common is compiled by then, so that the first is not slower for being the first.
      for (const { asked } of all) await warmUp(asked).catch(() => undefined)
      for (const { question, asked } of all) {
        try {
          await warmUp(asked)
          for (const count of connections)
            measured.add(`${name} ${question} ${count}`, await measure(asked, count, seconds))
        } catch (error) {
          // One question that fails under load costs no more than its own figures.
          process.stderr.write(`${name}, ${question}: ${error instanceof Error ? error.message : error}\n`)
        }
        memory.add(name, sumOfFamily(server.pid, writtenMemoryOf))
      }
      await server[Symbol.asyncDispose]()
      if (database !== null && name !== 'lexigraph-again') {
        await using statements = await openBare(database)
        for (const question of names) {
          const query = queryFor(system, question, answered)
          if (query !== null) bare.add(`${engine} ${question}`, await statements.time(query, seconds / 4))
        }
      }
      const took = ((performance.now() - began) / 1_000).toFixed(0)
      process.stderr.write(`Round ${round + 1} of ${rounds}: ${name}, ${took} s\n`)
    }
  }

  const figuresOf = (question: QuestionName): QuestionFigures => {
    const engines = [...new Set(systems.flatMap(({ engine }) => engine ?? []))]
    const bareOf = engines.map((engine) => [engine, bare.of(`${engine} ${question}`)] as const)
    const all = systems.filter(({ name }) => measured.of(`${name} ${question} 64`).length > 0)
    return {
      name: question,
      title: titles[question],
      query: reference.get(question)?.query ?? '',
      bytes: reference.get(question)?.bytes.length ?? 0,
      bare: Object.fromEntries(
        bareOf.flatMap(([engine, it]) => (it.length > 0 ? [[engine, median(it)]] : [])),
      ),
      answers: Object.fromEntries(
        loaded.map((system) => [
          system.name,
          verdict(system, question, answered.get(system.name)?.get(question), reference.get(question)),
        ]),
      ),
      measured: Object.fromEntries(
        all.map(({ name }) => {
          const of = (count: number): Measured => middle(measured.of(`${name} ${question} ${count}`))
          return [name, { 1: of(1), 16: of(16), 64: of(64) }]
        }),
      ),
    }
  }
  return {
    systems: Object.fromEntries(
      systems.map(({ name, title, kind, engine, load }) => [
        name,
        {
          title,
          kind,
          engine,
          load,
          startTook: median(starts.of(name)),
          memory: Math.max(...memory.of(name)),
        },
      ]),
    ),
    questions: names.map(figuresOf),
  }
}

interface Answer {
  readonly query: string
  readonly bytes: Uint8Array
  /** In the plain form; null when it was refused. */
  readonly plain: unknown
  readonly problem: string | null
}

/** The same questions once, to compare what systems say. */
async function answersOf(
  system: System,
  names: readonly QuestionName[],
): Promise<ReadonlyMap<QuestionName, Answer>> {
  const found = new Map<QuestionName, Answer>()
  await using server = await system.start()
  for (const name of names) {
    const question = system.questionOf(name)
    if ('unable' in question) continue
    found.set(
      name,
      await answerOf(server, question).catch((error: unknown) => ({
        query: '',
        bytes: Buffer.alloc(0),
        plain: null,
        problem: error instanceof Error ? error.message : String(error),
      })),
    )
  }
  return found
}

async function answerOf({ url }: Server, question: Question | DeepQuestion): Promise<Answer> {
  const query = await textOf(url, question)
  const { bytes, data } = await ask(url, query)
  return { query, bytes, plain: JSON.parse(JSON.stringify(question.read(data))), problem: null }
}

/** Null when it cannot be asked, or was refused. */
function queryFor(
  system: System,
  question: QuestionName,
  answered: ReadonlyMap<string, ReadonlyMap<QuestionName, Answer>>,
): string | null {
  if (system.kind === 'limit') {
    const asked = system.questionOf(question)
    if ('unable' in asked) return null
    return 'query' in asked ? asked.query : asked.queryAfter('')
  }
  const answer = answered.get(system.name)?.get(question)
  return answer === undefined || answer.problem !== null ? null : answer.query
}

function verdict(
  system: System,
  question: QuestionName,
  answer: Answer | undefined,
  reference: Answer | undefined,
): string {
  const asked = system.questionOf(question)
  if ('unable' in asked) return `not asked: ${asked.unable}`
  if (answer === undefined) return 'not asked'
  if (answer.problem !== null) return answer.problem
  if (isDeepStrictEqual(answer.plain, reference?.plain)) return 'same'
  return `differs: ${difference(answer.plain, reference?.plain)}`
}

/** Where two plain forms first differ. */
function difference(one: unknown, other: unknown): string {
  if (!Array.isArray(one) || !Array.isArray(other))
    return `${JSON.stringify(one)} for ${JSON.stringify(other)}`.slice(0, 300)
  if (one.length !== other.length) return `${one.length} parts for ${other.length}`
  const index = one.findIndex((it, at) => !isDeepStrictEqual(it, other[at]))
  return `[${index}] ${difference(one[index], other[index])}`
}

/** Each figure's median. */
function middle(all: readonly Measured[]): Measured {
  const of = (name: keyof Measured): number => median(all.map((one) => one[name]))
  return {
    requests: of('requests'),
    median: of('median'),
    p99: of('p99'),
    perSecond: of('perSecond'),
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
  }
}

/** Nobody is always the first. */
function rotated<Value>(values: readonly Value[], by: number): readonly Value[] {
  const from = by % Math.max(1, values.length)
  return [...values.slice(from), ...values.slice(0, from)]
}
