/** Resolves modules that are named instead of imported, mostly as entry points of threads and processes. */
import { extname } from 'node:path'

/**
 * A module in the same folder, and with the same file extension, as the module with this `import.meta.url`. A checkout
 * runs its sources; the package bundles everything into one folder, with these modules under their own names, which
 * `build/bundle.ts` recognizes by their suffixes `-child`, `-thread` and `-worker`, or by name.
 */
export function siblingModule(url: string, name: string): URL {
  return new URL(`./${name}${extname(url)}`, url)
}
