/** The package as it is published, in a folder of its own, for tests and benches. Its dependencies are the checkout's. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

/** Makes the folder anew, and resolves to the program in it. */
export async function unpackPackage(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const file = basename(stdout.trim().split('\n').at(-1) ?? '')
  await run('tar', ['-xzf', file, '--strip-components', '1'], { cwd: folder })
  rmSync(join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return join(folder, 'bin', 'lexigraph.js')
}
