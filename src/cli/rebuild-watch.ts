/** Notices that another process has rebuilt the index for other lexicons, and says what comes of it. */
import type { ReadDatabase } from '../database/database.ts'
import { BuiltElsewiseError, RebuiltElsewhereError } from '../database/refusals.ts'
import { CommandError, type CommandContext } from './command.ts'
import { lexiconDir, loadFoundation, openExistingStore } from './foundation.ts'

/** Milliseconds between two looks. */
const interval = 1_000

/** Calls back at each look that finds it so; the next look waits until that is done. */
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
      // Anything else passes, or is told to those who ask.
      if (error instanceof RebuiltElsewhereError) await onRebuilt()
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), interval).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * What a service does whose index was rebuilt: `reload` where its own folder has the lexicons of the index by now, a
 * `CommandError` to end with where it has others, null where that cannot be told at this moment.
 */
export async function judgeRebuild({
  config,
  root,
}: Pick<CommandContext, 'config' | 'root'>): Promise<'reload' | CommandError | null> {
  const dir = lexiconDir(config, root)
  try {
    const foundation = await loadFoundation(dir)
    await using _store = await openExistingStore(config, foundation)
    return 'reload'
  } catch (error) {
    const cause = (error as Error).cause
    if (error instanceof CommandError && cause === undefined)
      return new CommandError(`${rebuilt(dir)} Those cannot be loaded: ${error.message}`)
    if (!(cause instanceof BuiltElsewiseError)) return null
    return new CommandError(
      `${rebuilt(dir)} Start this service again with the lexicons of the index, or have \`lexigraph import\` rebuild it for these.`,
    )
  }
}

function rebuilt(dir: string): string {
  return `The index is not for the lexicons that are in ${dir} now: another process has rebuilt it, or they were changed.`
}
