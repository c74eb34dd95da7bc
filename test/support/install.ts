/**
 * Installs real servers from a folder's lock file, once for each state of it. They are no dependencies of the
 * program's, so that who only uses it or reads its code need not have them.
 */
import { execSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Whether what is there is what the lock file names. */
export function isInstalled(folder: string): boolean {
  const stamp = stampOf(folder)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfLock(folder)
}

/**
 * Installs what is not there yet, and says so. `what`, such as `PostgreSQL for the tests`, begins the sentence; `of`: its
 * size and time. Throws with a sentence when it cannot be done, which ends with `instead`.
 */
export function installOnce(folder: string, what: string, of: string, instead = ''): void {
  if (isInstalled(folder)) return
  console.log(`${what} is being installed in ${relative(root, folder)} (${of}, once).`)
  try {
    install(folder)
  } catch (cause) {
    throw new Error(
      `${what} cannot be installed. That requires a package registry, this one time: see above what npm says, and try again.${instead}`,
      { cause },
    )
  }
}

/** Throws when it cannot be done; npm has said why. Install scripts do not run. */
export function install(folder: string): void {
  execSync('npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error', {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
  })
  writeFileSync(stampOf(folder), hashOfLock(folder))
}

function stampOf(folder: string): string {
  return join(folder, 'node_modules', '.lock-hash')
}

function hashOfLock(folder: string): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}
