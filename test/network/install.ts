/** Installs the PDS and the directory of DIDs that tests run against. */
import { fileURLToPath } from 'node:url'
import { installOnce, isInstalled } from '../support/install.ts'

const folder = fileURLToPath(new URL('servers', import.meta.url))

export function serversAreInstalled(): boolean {
  return isInstalled(folder)
}

/** Throws with a sentence when it cannot be done. */
export function installServers(): void {
  const instead = ' Tests that need no PDS run without it, such as `npm test -- src`.'
  installOnce(folder, 'A real PDS for the tests', '370 MB, a minute', instead)
}
