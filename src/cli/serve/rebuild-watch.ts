/** Detects that another process has rebuilt the index for other lexicons, and decides what follows. */
import type { ReadDatabase } from '../../database/database.ts'
import {
  BeingRebuiltError,
  BuiltElsewiseError,
  rebuildAdvice,
  RebuiltElsewhereError,
} from '../../database/refusals.ts'
import { CommandError, type CommandContext } from '../command.ts'
import { type ProjectContext, lexiconDir, loadProject, openExistingStore } from '../store/project.ts'
import type { Config } from '../settings/settings.ts'

export const reloading =
  'The index was rebuilt for the lexicons as they are now; the service loads them again.'

/** Milliseconds between checks. */
const interval = 1_000

/** Calls back, once at a time, at each check that finds the index rebuilt for other lexicons or still being rebuilt. */
export function watchIndex(
  database: Pick<ReadDatabase, 'readPlanState'>,
  onRebuilt: () => void | Promise<void>,
): Disposable {
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      await database.readPlanState()
    } catch (error) {
      // Other errors are temporary, or requests report them.
      if (error instanceof RebuiltElsewhereError || error instanceof BeingRebuiltError) await onRebuilt()
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), interval).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Decides how a service continues that started with lexicons of the fingerprint `started`. Returns the project context
 * to reload if its folder has the lexicons of the rebuilt index, or a `CommandError` to end with if the folder has
 * others. Null if the index is unchanged, whatever the folder has, or if that cannot be determined now.
 */
export async function judgeRebuild(
  { config, root }: Pick<CommandContext, 'config' | 'root'>,
  started: string,
): Promise<ProjectContext | CommandError | null> {
  if ((await isIndexOf(config, started)) !== false) return null
  const dir = lexiconDir(config, root)
  const rebuilt = `Another process has rebuilt the index, and not for the lexicons that are in ${dir} now.`
  let project: ProjectContext
  try {
    project = await loadProject(dir)
  } catch (cause) {
    return new CommandError(`${rebuilt} Those cannot be loaded: ${(cause as Error).message}`, { cause })
  }
  const isLoadable = await isIndexOf(config, project.lexicons.fingerprint)
  if (isLoadable === null) return null
  return isLoadable
    ? project
    : new CommandError(
        `${rebuilt} Start this service again with the lexicons of the index, or ${rebuildAdvice}.`,
      )
}

/** Null: the database does not answer. */
async function isIndexOf(config: Config, fingerprint: string): Promise<boolean | null> {
  try {
    await using _store = await openExistingStore(config, { lexicons: { fingerprint } })
    return true
  } catch (error) {
    return (error as Error).cause instanceof BuiltElsewiseError ? false : null
  }
}

/** Fails if the folder was edited after the service started. */
export function assertStarted({ dir, lexicons }: ProjectContext, started: string): void {
  if (lexicons.fingerprint !== started)
    throw new CommandError(
      `The lexicons in ${dir} are not those that this service began with, and the index was not rebuilt for them. Restore them, or ${rebuildAdvice}.`,
    )
}
