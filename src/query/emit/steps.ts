/**
 * Queries in steps: common table expressions as data, in the order in which they were added, printed once. Where tables
 * are spread over nodes, the steps of a whole statement are its stages, because only there may they stand.
 */
import type { ColumnValue, Statement } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import { join, type Sql, sql } from '../../sql/sql.ts'
import type { Emitter, Step } from './emitter.ts'

/** Emits one query, whose parts may add steps. */
export interface StepEmitter extends Emitter {
  /** Adds a step, and returns its name. */
  step(query: Sql, isStored?: boolean): Sql
}

/** A subquery for a value, of the steps that it adds; without any, the value itself. `from`: where it is selected from. */
export function inSteps(
  emitter: Emitter,
  body: (steps: StepEmitter) => { readonly value: Sql; readonly from?: Sql },
): Sql {
  const { stages } = emitter
  const steps: Step[] = stages ?? []
  const step: StepEmitter['step'] = (query, isStored = true) => {
    const name = emitter.alias()
    steps.push({ name, query, isStored: isStored || stages !== null })
    return name
  }
  const { value, from } = body({ ...emitter, step })
  const selected = from === undefined ? value : sql`(select ${value} from ${from})`
  if (stages !== null || steps.length === 0) return selected
  return sql`(${withSteps(steps)}select ${value}${from === undefined ? sql`` : sql` from ${from}`})`
}

export function withSteps(steps: readonly Step[]): Sql {
  const tables = steps.map(
    ({ name, query, isStored }) => sql`${name} as ${isStored ? sql`` : sql`not `}materialized (${query})`,
  )
  return tables.length === 0 ? sql`` : sql`with ${join(tables, ', ')} `
}

/** A statement with the stages that its parts add. */
export function emitQuery(emitter: Emitter, query: (emitter: Emitter) => Sql): Statement {
  const { dialect } = emitter
  const stages: Step[] | null = dialect.isSpread ? [] : null
  const last = query({ ...emitter, stages })
  const statement = stages === null ? last : sql`${withSteps(stages)}${last}`
  return { text: dialect.text(statement), values: statement.values as readonly ColumnValue[] }
}

/** Adds a stage, and returns its name. */
export function stage({ stages, alias }: Emitter, query: Sql): Sql {
  if (stages === null) throw new Error('The statement has no stages.')
  const name = alias()
  stages.push({ name, query, isStored: true })
  return name
}

/** A sub-query that names no row around it; in a statement of stages, all rows of a stage. */
export function staged(emitter: Emitter, query: Sql): Sql {
  return emitter.stages === null ? sql`(${query})` : sql`(select * from ${stage(emitter, query)})`
}

/** Refuses a question that has no form in stages; to be called only for a statement of stages. */
export function refuseStages(what: string): never {
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `This index is spread over several servers, which cannot answer ${what}. docs/scaling.md lists what else they cannot.`,
  )
}
