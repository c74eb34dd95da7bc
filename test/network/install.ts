/** Installs the PDS and the directory of DIDs that tests run against. */
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from '../support/install.ts'

const folder = fileURLToPath(new URL('servers', import.meta.url))

export function serversAreInstalled(): boolean {
  return isInstalled(folder)
}

/** Throws with a sentence when it cannot be done. */
export function installServers(): void {
  if (serversAreInstalled()) return
  console.log('A real PDS for the tests is being installed in test/network/servers (370 MB, a minute, once).')
  try {
    install(folder)
  } catch (cause) {
    throw new Error(
      'The PDS for the tests cannot be installed. That takes a package registry, this one time: see above what npm says, and try again. Tests that need no PDS run without it, such as `npm test -- src`.',
      { cause },
    )
  }
}
