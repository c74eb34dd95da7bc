/** The version of the program. */
import { readFileSync } from 'node:fs'

/** `root` is the package's folder. */
export function readVersion(root: URL): string {
  return JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version
}
