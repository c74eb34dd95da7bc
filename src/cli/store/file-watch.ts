/** Ends a process whose database's file was replaced, overwritten or deleted: others may use the new one by now. */
import { sharedPath } from '../../database/open.ts'
import { ReplacedFileError } from '../../database/refusals.ts'
import { identityOf, storedIdentity } from '../../database/sqlite/open-file.ts'
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
  let [file, content] = [identityOf(path), storedIdentity(path)]
  let missing = 0
  const timer = setInterval(() => {
    const [now, stored] = [identityOf(path), storedIdentity(path)]
    missing = stored === '' ? missing + 1 : 0
    // A file without identity is another one; once it may be half of a page that is being written.
    const isOther = content !== '' && (stored === '' ? missing > 1 : stored !== content)
    file ??= now
    content ||= stored
    if (file === now && !isOther) return
    clearInterval(timer)
    const error = new CommandError(new ReplacedFileError(path, now === null).message)
    // The last connection that is closed writes the log into the file, even if that has other content now.
    if (file === now) endNow(error)
    onReplaced(error)
  }, interval).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function endNow({ message }: CommandError): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
