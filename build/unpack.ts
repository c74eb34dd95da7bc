/**
 * The package as it is published, in a folder of its own, for tests and benches. It finds there the packages that are
 * installed with it, taken from the checkout, and no others.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installedPackages } from './installed.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

/** The package is made in one place, so that two callers take turns. */
let last: Promise<unknown> = Promise.resolve()

/** Makes the folder anew, and resolves to the program in it. */
export function unpackPackage(folder: string): Promise<string> {
  const made = last.then(() => makePackage(folder))
  last = made.catch(() => undefined)
  return made
}

async function makePackage(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await run(process.execPath, ['build/package.ts', '--folder'], { cwd: root })
  const { stdout } = await run('npm', ['pack', './dist/package', '--silent', '--pack-destination', folder], {
    cwd: root,
  })
  const file = stdout.trim().split('\n').at(-1) ?? ''
  await run('tar', ['-xzf', file, '--strip-components', '1'], { cwd: folder })
  rmSync(join(folder, file))
  for (const installed of installedPackages(root)) {
    mkdirSync(dirname(join(folder, installed)), { recursive: true })
    symlinkSync(join(root, installed), join(folder, installed), 'junction')
  }
  return join(folder, 'bin', 'lexigraph.js')
}
