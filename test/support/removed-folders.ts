/** Folders that go with this process, also when a signal or an error ends it before it cleans up. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

/** A new folder in `parent`; the name begins with `prefix`. */
export function makeFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix))
  if (folders.length === 0)
    process.once('exit', () => {
      for (const one of folders) rmSync(one, { recursive: true, force: true, maxRetries: 10 })
    })
  folders.push(folder)
  return folder
}
