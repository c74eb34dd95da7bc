/**
 * Work of a few statements that every engine understands, written once as a generator of what it asks. SQLite runs
 * it in one go, so that nothing comes between the statements of a transaction; a server's answers are waited for.
 */
import type { ColumnValue, Statement } from '../database.ts'
import type { Session, SessionRow } from '../session.ts'

/** In each statement `?` stands for a value; what comes back are its rows, none where it only writes. */
export type Steps<Result> = Generator<Statement, Result, readonly SessionRow[]>

export function* ask(text: string, ...values: readonly ColumnValue[]): Steps<readonly SessionRow[]> {
  return yield { text, values }
}

export async function runSteps<Result>(session: Session, steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) step = steps.next(await session.all(step.value.text, ...step.value.values))
  return step.value
}
