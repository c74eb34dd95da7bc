/** What a cluster refuses, or answers by gathering all rows on one node, as rules over the text of a statement. */
import type { Table } from '../../../src/database/layout/tables.ts'

export interface ClusterRule {
  readonly what: string
  /** A statement that breaks it; `"r"` and `"s"` are tables that are spread over nodes. */
  readonly example: string
  readonly isBroken: (parts: Parts) => boolean
}

interface Parts {
  /** The queries of common table expressions, by their names. */
  readonly stages: ReadonlyMap<string, string>
  /** What is selected at the end. */
  readonly rest: string
  readonly tablesIn: (text: string) => number
}

const inAny = (test: (query: string, parts: Parts) => boolean) => (parts: Parts) =>
  [...parts.stages.values()].some((query) => test(query, parts))

export const clusterRules: readonly ClusterRule[] = [
  {
    what: 'an offset that keeps a query apart gathers all of its rows',
    example:
      'with t1 as materialized (select * from (select * from "r" offset 0) t2 limit 5) select 1 from t1',
    isBroken: inAny((query, { tablesIn }) => /offset 0\b/.test(query) && tablesIn(query) > 0),
  },
  {
    what: 'a limit is not a sub-query',
    example: 'with t1 as materialized (select * from "r" limit (select 5)) select 1 from t1',
    isBroken: inAny((query) => /limit \(select/.test(query)),
  },
  {
    what: 'what is printed is read from stages alone',
    example:
      'with t1 as materialized (select id from "r") select (select record from "r" where id = t1.id) from t1',
    isBroken: ({ rest, tablesIn }) => tablesIn(rest) > 0,
  },
  {
    what: 'tables that are joined, or met with a correlated sub-query, lie together',
    example: 'with t1 as materialized (select * from "r" t2 join "s" t3 on t3.id = t2.id) select 1 from t1',
    isBroken: inAny(
      (query, { tablesIn }) =>
        tablesIn(query) > 1 && !/shard/.test(query) && !/union all|\bin \(select/.test(query),
    ),
  },
  {
    what: 'no stage looks into another one for each row of a table',
    example:
      'with t1 as materialized (select 1 as a), t2 as materialized (select (select a from t1 where a = t3.id) from "r" t3) select 1 from t2',
    isBroken: inAny(
      (query, { stages, tablesIn }) =>
        tablesIn(query) > 0 &&
        [...stages.keys()].some(
          (name) =>
            new RegExp(String.raw`\(select [^()]* from ${name} t\d+ where [^()]*\bt\d+\.`).test(query) ||
            new RegExp(String.raw`\(select [^()]* from ${name} where [^()]*\bt\d+\.`).test(query),
        ),
    ),
  },
  {
    what: 'no condition is always false beside a join, which would be simplified away with it',
    example:
      'with t1 as materialized (select 1 from "r" t2 join "s" t3 on t3.id = t2.id and t3.shard = t2.shard where false) select 1 from t1',
    isBroken: inAny((query, { tablesIn }) => tablesIn(query) > 1 && /\b(where|and) \(?false\b/.test(query)),
  },
]

/** The rules that a statement breaks. */
export function brokenRules(statement: string, tables: readonly Table[]): readonly string[] {
  const spread = tables.flatMap(({ name, arrays, counts }) => [
    name,
    ...arrays.map((array) => array.name),
    ...counts.filter(({ kind }) => kind === 'reference').map((each) => each.name),
  ])
  const parts = partsOf(statement, spread)
  return clusterRules.filter(({ isBroken }) => isBroken(parts)).map(({ what }) => what)
}

/** Without the texts in it; of a statement of the form `with a as materialized (…), b as … select …`. */
export function partsOf(statement: string, spread: readonly string[]): Parts {
  const stages = new Map<string, string>()
  let rest = statement.replaceAll(/'(?:[^']|'')*'/g, "''")
  for (let found = headOf(rest); found !== null; found = headOf(rest)) {
    const [head, name] = found
    const end = closing(rest, head.length)
    stages.set(name, rest.slice(head.length, end))
    rest = rest.slice(end + 1)
  }
  const tablesIn = (text: string): number =>
    spread
      .flatMap((name) => [`from "${name}"`, `join "${name}"`])
      .reduce((sum, read) => sum + text.split(read).length - 1, 0)
  return { stages, rest, tablesIn }
}

function headOf(text: string): readonly [string, string] | null {
  const found = /^(?:with |, )(t\d+) as materialized \(/.exec(text)
  return found === null ? null : [found[0], found[1] as string]
}

/** Where the bracket that is open at a place is closed; names in quotes have none. */
function closing(text: string, from: number): number {
  let depth = 1
  let isName = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === '"') isName = !isName
    if (isName) continue
    if (character === '(') depth += 1
    else if (character === ')' && --depth === 0) return at
  }
  throw new Error('A bracket is not closed.')
}
