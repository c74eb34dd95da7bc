/** Ends a process whose database's file was replaced or deleted: others may use the new one by now. */
import { contentIdentity, fileIdentity } from '../../database/open.ts'
import { ReplacedFileError } from '../../database/refusals.ts'
import { CommandError } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** Milliseconds between checks. */
const interval = 1_000

/** Calls back once. A file that is made after the start is watched as well; nothing is, for other engines. */
export function watchFile({ database }: Config, onReplaced: (error: CommandError) => void): Disposable {
  let file = fileIdentity(database)
  let content = contentIdentity(database)
  const look = (): void => {
    const now = fileIdentity(database)
    const stored = contentIdentity(database)
    if ((file === null || now === file) && (content === '' || stored === '' || stored === content)) {
      file ??= now
      content ||= stored
      return
    }
    clearInterval(timer)
    onReplaced(new CommandError(new ReplacedFileError(database, now === null).message))
  }
  const timer = setInterval(look, interval).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
