/** The lines that `serve` prints about what it serves, so that the operator can check it. */
import type { ReadDatabase } from '../../database/database.ts'
import { withoutPassword } from '../../database/postgres/url.ts'
import { identifier } from '../../sql/sql.ts'
import { notify } from '../command.ts'
import { type ProjectContext, openExistingStore } from '../store/project.ts'
import type { Preparation } from '../background/preparation.ts'
import type { Config } from '../settings/settings.ts'
import { blockedPortProblem } from './blocked-ports.ts'

export interface Announced {
  /** For example `http://127.0.0.1:4000`. */
  readonly address: string
  readonly project: ProjectContext
  /** Null if the database was ready at the start. */
  readonly preparation: Preparation | null
  /** The lines of `describeServed`, if the database was ready at the start. */
  readonly served: readonly string[]
  readonly workers: number
}

/**
 * Prints the address once the preparation is permitted or done, and what is served once that can be read. Failures of
 * the preparation are reported elsewhere.
 */
export async function announce(config: Config, announced: Announced): Promise<void> {
  const { address, project, preparation, workers } = announced
  const url = `${address}/api/graphql`
  let { served } = announced
  try {
    if (preparation !== null) {
      const state = await Promise.race([
        preparation.ready.then(() => 'ready'),
        preparation.permitted.then(() => 'permitted'),
      ])
      if (state === 'permitted')
        notify(config, `Lexigraph listens at ${url} and answers when the index is ready.`)
      await preparation.ready
      await using read = await openExistingStore(config, project)
      served = await describeServed(config, project, read, workers)
    }
  } catch {
    return
  }
  for (const line of served) notify(config, line)
  // A proxy may listen at another port, so this is no failure.
  const problem = blockedPortProblem(Number(new URL(address).port))
  if (problem !== null)
    notify(config, `${problem} Choose another with --port, unless a proxy takes the requests.`)
  notify(config, `Lexigraph answers at ${url}${config.mcp ? `, agents at ${address}/mcp` : ''}.`)
}

/** One line each for the database, the lexicons, the collections and the serving processes. */
export async function describeServed(
  config: Config,
  { dir, tables }: ProjectContext,
  read: Pick<ReadDatabase, 'readRows'>,
  workers: number,
): Promise<readonly string[]> {
  const collections: string[] = []
  for (const { collection, counts } of tables) {
    const total = counts.find(({ kind }) => kind === 'total')
    if (total === undefined) continue
    // The materialized count: counting takes time in proportion to the records.
    const text = `select cast(coalesce(sum(n), 0) as bigint) as n from ${identifier(total.name).sql}`
    for await (const { n } of read.readRows({ text, values: [] }))
      collections.push(`${collection.nsid} (${Number(n).toLocaleString('en')})`)
  }
  return [
    `Database: ${withoutPassword(config.database)}`,
    `Lexicons: ${dir}`,
    `Collections and their records: ${collections.join(', ')}`,
    `Workers: ${workers}`,
  ]
}
