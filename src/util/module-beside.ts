/** Modules that are named rather than imported, because a thread or a process of their own is started on them. */
import { extname } from 'node:path'

/**
 * A module in the folder of the one whose `import.meta.url` is given. Its name ends as that one's does: a checkout runs
 * its sources, and the package has everything bundled in one folder, with these modules by their own names (the list
 * is in `build/bundle.ts`).
 */
export function moduleBeside(url: string, name: string): URL {
  return new URL(`./${name}${extname(url)}`, url)
}
