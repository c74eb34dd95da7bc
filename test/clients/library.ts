/** The GraphQL clients that the tests ask with, from the lock file of `libraries`, which is installed when first needed. */
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from '../support/install.ts'

export const librariesFolder = fileURLToPath(new URL('libraries', import.meta.url))

/** Throws with a sentence when the libraries cannot be installed. Their programs are in `node_modules/.bin`. */
export function installLibraries(): void {
  if (isInstalled(librariesFolder)) return
  console.log('GraphQL clients for the tests are being installed in test/clients/libraries (290 MB, once).')
  try {
    install(librariesFolder)
  } catch (cause) {
    throw new Error(
      'The GraphQL clients for the tests cannot be installed. That requires a package registry, this one time: see above what npm says, and try again.',
      { cause },
    )
  }
}

/** A module of a library, such as `@apollo/client/link/persisted-queries`. */
// oxlint-disable-next-line typescript/no-explicit-any -- Types must also check where the libraries are not installed.
export async function importLibrary(name: string): Promise<any> {
  installLibraries()
  const { load } = await import('./libraries/load.ts')
  return load(name)
}
