/** What `serve` says that it serves, for whoever looks whether it is what was meant. */
import type { ReadDatabase } from '../database/database.ts'
import { withoutPassword } from '../database/postgres/url.ts'
import { identifier } from '../sql/sql.ts'
import type { Foundation } from './foundation.ts'
import type { Config } from './settings.ts'

/** A line each: the database, the lexicons, the collections and the processes that answer. */
export async function describeServed(
  config: Config,
  { dir, tables }: Foundation,
  read: Pick<ReadDatabase, 'readRows'>,
  workers: number,
): Promise<readonly string[]> {
  const collections: string[] = []
  for (const { collection, counts } of tables) {
    const total = counts.find(({ kind }) => kind === 'total')
    if (total === undefined) continue
    // The materialized count: counting would take as long as there are records.
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
