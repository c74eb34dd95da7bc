/**
 * Installs the real servers in `servers/`, once for each state of their lock file. They are no dependencies
 * of the program's, so that who only uses it or reads its code need not have them.
 */
import { execSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('servers', import.meta.url))
const stamp = join(folder, 'node_modules', '.lock-hash')

export function serversAreInstalled(): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfLock()
}

/** Throws with a sentence when it cannot be done; npm has said why. */
export function installServers(): void {
  if (serversAreInstalled()) return
  console.log('A real PDS for the tests is being installed in test/network/servers (370 MB, a minute, once).')
  try {
    execSync('npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error', {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
    })
  } catch (cause) {
    throw new Error(
      'The PDS for the tests cannot be installed. That takes a package registry, this one time: see above what npm says, and try again. Tests that need no PDS run without it, such as `npm test -- src`.',
      { cause },
    )
  }
  writeFileSync(stamp, hashOfLock())
}

function hashOfLock(): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}
