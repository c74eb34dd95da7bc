/** Tests that hold whichever engine keeps the records: declared once, run on each. */
import { test, type TestContext } from 'node:test'
import { rounds, someForms } from '../rounds.ts'
import { stopTimers } from '../stopped-timers.ts'
import { databases, type Engine } from './postgres.ts'

const titles: Readonly<Record<Engine, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A test for each engine, named after it. */
export function onEveryDatabase(
  sentence: string,
  holds: (database: Engine) => Promise<void>,
  engines: readonly Engine[] = databases,
): void {
  for (const database of databases.filter((one) => engines.includes(one)))
    test(`${sentence} (${titles[database]})`, () => holds(database))
}

/**
 * As `onEveryDatabase`, of what programs do whose statements other tests compare on both: on the first engine in
 * `npm test`, on all of them where more is drawn.
 */
export function onOneDatabase(
  sentence: string,
  holds: (database: Engine) => Promise<void>,
  engines: readonly Engine[] = databases,
): void {
  onEveryDatabase(sentence, holds, someForms(engines))
}

/**
 * As `onEveryDatabase`, of what has nothing to do with time: no limit passes of how long a server may take, because
 * the timers of this process stand still.
 */
export function onEveryEngine(sentence: string, holds: (engine: Engine) => Promise<void>): void {
  for (const engine of databases)
    test(`${sentence} (${titles[engine]})`, (t) => {
      if (engine === 'postgres') stopTimers(t)
      return holds(engine)
    })
}

/** A test of what only PostgreSQL has, and of what has nothing to do with time either. */
export function onUntimedPostgres(sentence: string, holds: (t: TestContext) => Promise<void>): void {
  onPostgres(sentence, (t) => {
    stopTimers(t)
    return holds(t)
  })
}

/** A test of what only PostgreSQL has. */
export function onPostgres(sentence: string, holds: (t: TestContext) => Promise<void>): void {
  if (databases.includes('postgres')) test(sentence, holds)
}

/** The same, where more is drawn: beside tests of `npm test` whose servers it shares. */
export function onPostgresLong(sentence: string, holds: (t: TestContext) => Promise<void>): void {
  if (rounds() > 1) onPostgres(sentence, holds)
}
