/** Compares a database with its records, offline. */
import type { ReadDatabase } from '../../database/database.ts'
import { findDamage } from '../../database/verify/find-damage.ts'
import type { Damage } from '../../database/verify/verify-counts.ts'
import { counted } from '../../util/text/counted.ts'
import type { Config } from '../settings/settings.ts'
import { openExistingStore, type ProjectContext } from './project.ts'

/** Compares each record with its CID and all that is derived from it, and checks the file of a database that is one. */
export async function verifyStore(
  config: Config,
  project: ProjectContext,
  signal?: AbortSignal,
): Promise<readonly Damage[]> {
  await using read = await openExistingStore(config, project)
  return [...(await findDamage(read, project.tables, signal)), ...(await fileDamage(read))]
}

/** Of a SQLite file: indexes that lack rows, and pages that cannot be read. */
export async function fileDamage(read: ReadDatabase): Promise<readonly Damage[]> {
  if (read.dialect.engine !== 'sqlite') return []
  const text = 'select integrity_check as problem from pragma_integrity_check limit 1'
  const [found] = await Array.fromAsync(read.readRows({ text, values: [] }))
  if (found?.problem === 'ok') return []
  return [
    { name: 'The file of the database', problem: `It is damaged, and the disk may be: ${found?.problem}.` },
  ]
}

export function damageLines(damage: readonly Damage[]): readonly string[] {
  if (damage.length === 0) return ['The database agrees with its records.']
  return [
    ...damage.map(({ name, problem }) => `${name}: ${problem}`),
    `The database is damaged: ${counted(damage.length, 'problem')}. \`lexigraph reconcile\` fetches damaged records again; \`lexigraph copy\` into a new database derives the rest from the records.`,
  ]
}
