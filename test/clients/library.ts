/** The GraphQL clients that the tests ask with, from the lock file of `libraries`, which is installed when first needed. */
import { fileURLToPath } from 'node:url'
import { installOnce } from '../support/install.ts'

export const librariesFolder = fileURLToPath(new URL('libraries', import.meta.url))

/** Throws with a sentence when the libraries cannot be installed. Their programs are in `node_modules/.bin`. */
export function installLibraries(): void {
  installOnce(librariesFolder, 'A set of GraphQL clients for the tests', '290 MB')
}

/** A module of a library, such as `@apollo/client/link/persisted-queries`. */
// oxlint-disable-next-line typescript/no-explicit-any -- Types must also check where the libraries are not installed.
export async function importLibrary(name: string): Promise<any> {
  installLibraries()
  const { load } = await import('./libraries/load.ts')
  return load(name)
}
