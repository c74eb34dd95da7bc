/** What must hold, and what a run has reached of it. Lines whose systems or questions were not measured are left open. */
import type { Measured } from './load.ts'
import { chosen, type QuestionName } from './questions.ts'
import { type Connections, type GrowthFigures, otherOrder, type Results } from './results.ts'

export interface Goal {
  readonly what: string
  readonly asked: string
  readonly reached: string
  /** Null when it was not measured. */
  readonly holds: boolean | null
}

/** At 16 connections, requests/s of ours to PostGraphile's; at one connection, the median. */
interface Line {
  readonly questions: readonly string[]
  readonly ratio?: number
  readonly median?: Bound
}

type Bound =
  | { readonly kind: 'milliseconds' | 'limits' | 'statements'; readonly most: number }
  | { readonly kind: 'question'; readonly name: QuestionName; readonly most: number }

const lines: readonly Line[] = [
  { questions: ['Q1', 'Q5', 'Q10', 'Q11'], ratio: 3.5, median: { kind: 'limits', most: 1.5 } },
  { questions: ['Q2'], ratio: 14, median: { kind: 'question', name: 'Q2 first', most: 1.2 } },
  {
    questions: ['Q3 rare', 'Q3 none', 'Q3 two characters'],
    ratio: 5,
    median: { kind: 'milliseconds', most: 0.25 },
  },
  { questions: ['Q3 middling'], ratio: 13, median: { kind: 'milliseconds', most: 0.25 } },
  { questions: ['Q3 common'], ratio: 3, median: { kind: 'milliseconds', most: 0.25 } },
  { questions: ['Q4'], ratio: 35, median: { kind: 'milliseconds', most: 0.3 } },
  { questions: ['Q6', 'Q9'], ratio: 1_000, median: { kind: 'milliseconds', most: 0.2 } },
  { questions: ['Q7'], ratio: 100, median: { kind: 'milliseconds', most: 1.5 } },
  { questions: ['Q8', 'Q8 many'], ratio: 1, median: { kind: 'statements', most: 1.3 } },
  { questions: ['Q12', 'Q12 many'], ratio: 1.3, median: { kind: 'statements', most: 1.2 } },
  { questions: ['Q13'], ratio: 30 },
  { questions: ['Q14'], ratio: 2.5 },
  { questions: ['Q15', 'Q16'], ratio: 5 },
]

const main = 'lexigraph-sqlite'
const rival = 'postgraphile'

export function goalsOf(results: Results): readonly Goal[] {
  return [
    ...questionGoals(results),
    ...againGoals(results),
    ...postgresGoals(results),
    ...systemGoals(results),
    ...workersGoals(results),
    ...growthGoals(results),
  ]
}

/** Milliseconds: the bare statement with its JSON text, and an echo of the same bytes. */
export function limitOf(results: Results, name: QuestionName, engine = 'sqlite'): number | null {
  const bare = results.questions.find((it) => it.name === name)?.bare[engine]
  const echo = figuresOf(results, name, 'node-bytes', 1)?.median
  return bare === undefined || echo === undefined ? null : bare + echo
}

export function figuresOf(
  { questions }: Results,
  name: QuestionName,
  system: string,
  connections: Connections,
): Measured | undefined {
  return questions.find((it) => it.name === name)?.measured[system]?.[connections]
}

/** Requests/s of one system to another's at 16 connections. */
export function ratioOf(results: Results, name: QuestionName, one: string, other: string): number | null {
  const [above, below] = [one, other].map((system) => figuresOf(results, name, system, 16)?.perSecond)
  return above === undefined || below === undefined ? null : above / below
}

function questionGoals(results: Results): readonly Goal[] {
  return lines.flatMap(({ questions, ratio, median }) =>
    (questions as readonly QuestionName[]).flatMap((name) => [
      ...(ratio === undefined
        ? []
        : [atLeast(`${name}: times PostGraphile`, ratio, ratioOf(results, name, main, rival))]),
      ...(median === undefined ? [] : [medianGoal(results, name, median)]),
    ]),
  )
}

function medianGoal(results: Results, name: QuestionName, bound: Bound): Goal {
  const took = figuresOf(results, name, main, 1)?.median ?? null
  const against = (base: number | null | undefined): number | null =>
    took === null || base === null || base === undefined ? null : took / base
  switch (bound.kind) {
    case 'milliseconds':
      return atMost(`${name}: median, ms`, bound.most, took)
    case 'limits':
      return atMost(`${name}: median, times the limit`, bound.most, against(limitOf(results, name)))
    case 'statements': {
      const bare = results.questions.find((it) => it.name === name)?.bare.sqlite
      return atMost(`${name}: median, times the bare statement`, bound.most, against(bare))
    }
    case 'question': {
      const base = figuresOf(results, bound.name, main, 1)?.median
      return atMost(`${name}: median, times the first page's`, bound.most, against(base))
    }
  }
}

function againGoals(results: Results): readonly Goal[] {
  return results.questions.map(({ name }) => {
    const again = figuresOf(results, name, 'lexigraph-again', 1)?.median
    const bytes = figuresOf(results, name, 'fastify-bytes', 1)?.median
    const times = again === undefined || bytes === undefined ? null : again / bytes
    return atMost(`${name} asked again: median, times the bytes from memory`, 1.5, times)
  })
}

function postgresGoals(results: Results): readonly Goal[] {
  const twice = new Set<string>(['Q1', 'Q2', 'Q5', 'Q10', 'Q11', 'Q13'])
  const hundredfold = new Set<string>(['Q6', 'Q7', 'Q9'])
  return results.questions.map(({ name }) => {
    const least = hundredfold.has(name) ? 100 : twice.has(name) ? 2 : 1
    const ratio = ratioOf(results, name, 'lexigraph-postgres', rival)
    return atLeast(`${name} on PostgreSQL: times PostGraphile`, least, ratio)
  })
}

function systemGoals({ systems }: Results): readonly Goal[] {
  const { load = null, startTook = null, memory = null } = systems[main] ?? {}
  return [
    atLeast('Import, records/s', 20_000, load?.recordsPerSecond ?? null),
    atMost('Bytes on disk per article with its enrichments', 2_600, load?.bytesPerArticle ?? null),
    atMost('Start to first answer, ms', 300, startTook),
    atMost('Private memory under load, MB', 150, memory),
  ]
}

function workersGoals({ workers }: Results): readonly Goal[] {
  return [
    atLeast('Two workers: times one', 1.7, workers?.gain ?? null),
    atMost(
      'p99 of Q1 while one caller asks Q8 and Q12: times that of an idle server',
      3,
      workers === null ? null : workers.besideTail / workers.idleTail,
    ),
  ]
}

function growthGoals({ growth }: Results): readonly Goal[] {
  const [one, more] = growth
  const grown = `${more?.times ?? 10} times the records`
  const ratio = (name: string): number | null => {
    const [before, after] = [one, more].map((it) => it?.medians[name])
    return before === undefined || after === undefined ? null : after / before
  }
  const flat: readonly string[] = ['Q1', 'Q2', 'Q5', 'Q10', 'Q11', 'Q14', 'Q6', 'Q7', 'Q9']
  const needles = chosen(['Q3', 'Q4'])
  return [
    ...flat.map((name) => atMost(`${name} at ${grown}: times its latency`, 1.2, ratio(name))),
    ...needles.map((name) => atMost(`${name} at ${grown}: median, ms`, 0.5, more?.medians[name] ?? null)),
    ...needles.map((name) =>
      atMost(
        `${name}, ${otherOrder}, at ${grown}: median, ms`,
        15,
        more?.medians[`${name}, ${otherOrder}`] ?? null,
      ),
    ),
    atMost(
      `Start to first answer at ${grown}, ms`,
      1_000,
      (more satisfies GrowthFigures | undefined)?.startTook ?? null,
    ),
  ]
}

function atLeast(what: string, least: number, reached: number | null): Goal {
  return {
    what,
    asked: `at least ${format(least)}`,
    reached: format(reached),
    holds: reached === null ? null : reached >= least,
  }
}

function atMost(what: string, most: number, reached: number | null): Goal {
  return {
    what,
    asked: `at most ${format(most)}`,
    reached: format(reached),
    holds: reached === null ? null : reached <= most,
  }
}

/** Three digits that mean something. */
export function format(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
