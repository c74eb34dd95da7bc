/** What must hold, and what a run has reached of it. Lines whose systems or questions were not measured are left open. */
import type { Measured } from '../load.ts'
import { type QuestionName } from '../questions.ts'
import { type Connections, type Results } from '../results.ts'

export interface Goal {
  readonly what: string
  readonly asked: string
  readonly reached: string
  /** Null when it was not measured. */
  readonly holds: boolean | null
}

/** Least requests/s at 16 connections, times those of PostGraphile; of questions that are not named, 1. */
const ratios: Readonly<Partial<Record<QuestionName, number>>> = {
  Q1: 3,
  'Q3 rare': 5,
  'Q3 middling': 5,
  'Q3 common': 5,
  'Q3 none': 5,
  'Q3 two characters': 5,
  Q4: 5,
  Q5: 3,
  Q6: 100,
  Q9: 100,
  Q10: 3,
  Q11: 3,
}

/** Pages that an index returns in order. */
const pages: readonly QuestionName[] = ['Q1', 'Q2', 'Q5', 'Q10', 'Q11']

const main = 'lexigraph-sqlite'
const rival = 'postgraphile'

export function goalsOf(results: Results): readonly Goal[] {
  const grown = results.growth.at(1)
  return [
    ...results.questions.map(({ name }) =>
      atLeast(`${name}: times PostGraphile`, ratios[name] ?? 1, ratioOf(results, name, main, rival)),
    ),
    ...pages.map((name) =>
      atMost(
        `${name}: median, times the bare statement behind \`node:http\``,
        1.6,
        quotient(
          figuresOf(results, name, main, 1)?.median,
          figuresOf(results, name, 'node-statement', 1)?.median,
        ),
      ),
    ),
    atLeast('Import, records/s', 14_000, results.systems[main]?.load?.recordsPerSecond ?? null),
    ...pages.map((name) =>
      atMost(
        `${name} at ${grown?.times ?? 10} times the records: times its median`,
        1.3,
        quotient(grown?.medians[name], results.growth[0]?.medians[name]),
      ),
    ),
  ]
}

function quotient(a: number | undefined, b: number | undefined): number | null {
  return a === undefined || b === undefined ? null : a / b
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
