import { until } from '../until.ts'

/** PostgreSQL gives up when a process that has the database open does not end within five seconds. */
const isInUse = '55006'

/** Drops a database, for as long as a busy machine takes to end who has it open. */
export async function dropDatabase(
  name: string,
  run: (statement: string) => Promise<unknown>,
): Promise<void> {
  await untilUnused(() => run(`drop database if exists ${name} with (force)`))
}

/** Does something again and again while the database that it needs for itself is in use. */
export async function untilUnused(act: () => Promise<unknown>): Promise<void> {
  let refusal: unknown
  const acted = async (): Promise<boolean> => {
    try {
      await act()
      return true
    } catch (error) {
      if ((error as { readonly code?: string }).code !== isInUse) throw error
      refusal = error
      return false
    }
  }
  await until(acted).catch((error: Error) => {
    error.cause ??= refusal
    throw error
  })
}
