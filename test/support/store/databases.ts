/** Tests that hold whichever engine keeps the records: declared once, run on each. */
import { test, type TestContext } from 'node:test'
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

/** A test of what only PostgreSQL has. */
export function onPostgres(sentence: string, holds: (t: TestContext) => Promise<void>): void {
  if (databases.includes('postgres')) test(sentence, holds)
}
