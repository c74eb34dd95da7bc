/** The databases of the servers that are attacked, on either engine. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Engine, FreshDatabase } from '../support/store/postgres.ts'

export interface Stores extends AsyncDisposable {
  /** What `--database` takes, of one that is empty. */
  readonly create: () => Promise<string>
  readonly copy: (original: string) => Promise<string>
  /** For one server: what callers spend is counted in a database, and each server has callers of its own. */
  readonly forServer: (original: string) => Promise<string>
  /** Whether a server of databases works on something that any of them was asked. */
  readonly areBusy: () => Promise<boolean>
}

export function openStores(engine: Engine, folder: string): Promise<Stores> | Stores {
  return engine === 'sqlite' ? filesIn(folder) : openDatabases()
}

/** Whoever works on a file is a process of the program. */
function filesIn(folder: string): Stores {
  let made = 0
  const create = async (): Promise<string> => {
    made += 1
    return join(folder, `attacked-${made}.db`)
  }
  return {
    create,
    async copy(original) {
      const file = await create()
      await copyFile(original, file)
      return file
    },
    forServer: async (original) => original,
    areBusy: async () => false,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function openDatabases(): Promise<Stores> {
  // It starts a server when it is imported by tests, which not everybody wants who wants files.
  const { freshDatabase } = await import('../support/store/postgres.ts')
  const made = new Map<string, FreshDatabase>()
  const add = (database: FreshDatabase): string => {
    made.set(database.url, database)
    return database.url
  }
  const own = await freshDatabase()
  const client = new pg.Client(own.url)
  await client.connect()
  const copy = async (original: string): Promise<string> => add(await freshDatabase(made.get(original)))
  return {
    create: async () => add(await freshDatabase()),
    copy,
    forServer: copy,
    async areBusy() {
      const names = [...made.keys()].map((url) => new URL(url).pathname.slice(1))
      const statement = `select 1 from pg_stat_activity where datname = any($1) and state = 'active' limit 1`
      return (await client.query(statement, [names])).rows.length > 0
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      for (const database of [own, ...made.values()]) await database[Symbol.asyncDispose]()
    },
  }
}
