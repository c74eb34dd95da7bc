/** Ends a process whose database's file was replaced, overwritten or deleted: others may use the new one by now. */
import { asSentence } from '../../util/text/messages.ts'
import { sharedPath } from '../../database/open.ts'
import { ReplacedFileError } from '../../database/refusals.ts'
import { confirmIdentity, emptyLog, identityOf, isOverwritten } from '../../database/sqlite/open-file.ts'
import { CommandError } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** Milliseconds between checks. */
const interval = 1_000

/**
 * Calls back once when another file has the name, and ends the process at once when the file itself was overwritten. Null
 * for other engines. A file that is made after the start is watched as well. Without `onReplaced` the process ends.
 */
export function watchFile(
  { database }: Config,
  onReplaced: (error: CommandError) => void = endNow,
): Disposable | null {
  const path = sharedPath(database)
  if (path === null) return null
  let before = identityOf(path)
  const timer = setInterval(() => {
    try {
      const now = identityOf(path)
      if (before !== null && isOverwritten(before, now)) {
        // The end of the process closes the connections of its other threads, which do not empty the log.
        emptyLog(path, before)
        endNow(new ReplacedFileError(path, false))
      }
      before = confirmIdentity(path, before, now)
    } catch (error) {
      clearInterval(timer)
      const { message } = error as Error
      const isReplaced = error instanceof ReplacedFileError
      const reason = isReplaced ? message : `The file ${path} cannot be watched: ${asSentence(message)}`
      onReplaced(new CommandError(reason))
    }
  }, interval).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function endNow({ message }: Error): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
