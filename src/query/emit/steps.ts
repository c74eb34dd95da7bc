/**
 * Queries in steps: common table expressions as data, in the order in which they were added, printed once. Equal queries
 * are one step, so that parts of a statement which count the same share it. Where tables are spread over nodes, the steps
 * of a statement are its stages, because only there may they stand.
 */
import type { ColumnValue, Statement } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import { join, type Sql, sql } from '../../sql/sql.ts'
import type { Emitter, Step } from './emitter.ts'

/** A subquery for a value, of the steps that it adds. They may name rows around it. */
export function inSteps(emitter: Emitter, body: (within: Emitter) => Sql): Sql {
  if (emitter.dialect.isSpread) return body(emitter)
  const steps: Step[] = []
  const value = body(stepping(emitter, steps))
  return steps.length === 0 ? value : sql`(${withSteps(steps)}select ${value})`
}

function stepping(emitter: Emitter, steps: Step[]): Emitter {
  return { ...emitter, steps, step: (query, isStored = true) => addStep(emitter, steps, query, isStored) }
}

function addStep({ alias, dialect }: Emitter, steps: Step[], query: Sql, isStored: boolean): Sql {
  const shape = shapeOf(query, steps)
  const same = steps.find((step) => step.shape === shape && isEqualTo(step.query.values, query.values))
  if (same !== undefined) return same.name
  const name = alias()
  steps.push({ name, query, shape, isStored: isStored || dialect.isSpread })
  return name
}

/** Quoted texts and names, and aliases. */
const named = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\bt\d+\b/g

/** The text with aliases of its own numbered in order, which is the same for queries that differ in these alone. */
function shapeOf(query: Sql, steps: readonly Step[]): string {
  const others = new Set(steps.map(({ name }) => name.sql))
  const own = new Map<string, number>()
  return query.sql.replace(named, (part) => {
    if (!part.startsWith('t') || others.has(part)) return part
    const number = own.get(part) ?? own.size
    own.set(part, number)
    return `:${number}`
  })
}

function isEqualTo(values: readonly unknown[], others: readonly unknown[]): boolean {
  return values.length === others.length && values.every((value, index) => value === others[index])
}

export function withSteps(steps: readonly Step[]): Sql {
  const tables = steps.map(
    ({ name, query, isStored }) => sql`${name} as ${isStored ? sql`` : sql`not `}materialized (${query})`,
  )
  return tables.length === 0 ? sql`` : sql`with ${join(tables, ', ')} `
}

/** A statement with the steps that its parts add. */
export function emitQuery(emitter: Emitter, query: (emitter: Emitter) => Sql): Statement {
  const { dialect } = emitter
  const steps: Step[] = []
  const last = query(stepping(emitter, steps))
  const statement = sql`${withSteps(steps)}${last}`
  return { text: dialect.text(statement), values: statement.values as readonly ColumnValue[] }
}

/** A sub-query that names no row around it; in a statement of stages, all rows of a stage. */
export function staged(emitter: Emitter, query: Sql): Sql {
  return emitter.dialect.isSpread ? sql`(select * from ${emitter.step(query)})` : sql`(${query})`
}

/** Refuses a question that has no form in stages; to be called only for a statement of stages. */
export function refuseStages(what: string): never {
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `This index is spread over several servers, which cannot answer ${what}. docs/scaling.md lists what else they cannot.`,
  )
}
