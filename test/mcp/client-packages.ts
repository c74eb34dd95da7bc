/** The clients that tests talk to the agents' server with, from the lock file of `clients`, installed when first needed. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnce } from '../support/install.ts'

const folder = fileURLToPath(new URL('clients', import.meta.url))

/** Throws with a sentence when the packages cannot be installed. */
function installClients(): void {
  installOnce(folder, 'A set of clients for the tests of agents', '280 MB')
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
