/** The clients that tests talk to the agents' server with, from the lock file of `clients`, installed when first needed. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from '../support/install.ts'

const folder = fileURLToPath(new URL('clients', import.meta.url))

/** Throws with a sentence when the packages cannot be installed. */
function installClients(): void {
  if (isInstalled(folder)) return
  console.log('Clients for the tests of agents are being installed in test/mcp/clients (280 MB, once).')
  try {
    install(folder)
  } catch (cause) {
    throw new Error(
      'The clients for the tests of agents cannot be installed. That requires a package registry, this one time: see above what npm says, and try again.',
      { cause },
    )
  }
}

/** A module of a package, such as `@ai-sdk/mcp`. */
// oxlint-disable-next-line typescript/no-explicit-any -- Types must also check where the packages are not installed.
export async function importClient(name: string): Promise<any> {
  installClients()
  const { load } = await import('./clients/load.ts')
  return load(name)
}

/** The file of a program, such as `mcp-remote/dist/proxy.js`. */
export function clientProgram(path: string): string {
  installClients()
  return join(folder, 'node_modules', path)
}
