/** Modules that are named rather than imported, most of them because a thread or a process is started on them. */
import { extname } from 'node:path'

/**
 * A module in the folder of the one whose `import.meta.url` is given. Its name ends as that one's does: a checkout runs
 * its sources, and the package has everything bundled in one folder, with these modules under their own names:
 * `build/bundle.ts` knows them by their ends, `-child`, `-thread` and `-worker`, or by name.
 */
export function siblingModule(url: string, name: string): URL {
  return new URL(`./${name}${extname(url)}`, url)
}
