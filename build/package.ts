/**
 * Puts the package that is published into dist/package, with everything bundled, and packs it: `npm publish dist/package`
 * publishes it. The checkout itself is private, so that nobody publishes its sources by mistake.
 * Usage: node build/package.ts, which needs npm only for the archive; `--folder` leaves the archive out, and `--installed`
 * copies the packages that are installed with it into dist/node_modules.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedPackages, installedWith } from './installed.ts'
import { serverJson } from './server-json.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = `${root}dist/package/`
/** Copied next to the program: the pages, and every file that they link to. */
const copied = [
  'bin',
  'lexicons',
  'docs',
  'deploy',
  'bench/README.md',
  'bench/peers/README.md',
  'Dockerfile',
  'LICENSE',
  ...globSync('*.md', { cwd: root }),
]

await import('./bundle.ts')
for (const name of copied) cpSync(root + name, folder + name, { recursive: true })
const description = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
// Packages that only a checkout needs are bundled, or for development.
const {
  private: _private,
  scripts: _scripts,
  dependencies,
  devDependencies: _dev,
  allowScripts: _allow,
  ...described
} = description
const installed = installedWith.map((name) => [name, dependencies[name]])
const published = { ...described, dependencies: Object.fromEntries(installed) }
write('package.json', `${JSON.stringify(published, null, 2)}\n`)
write('server.json', `${JSON.stringify(serverJson(published), null, 2)}\n`)
write('README.md', absoluteLinks(readFileSync(`${root}README.md`, 'utf8'), published))
if (process.argv.includes('--installed'))
  for (const path of installedPackages(root)) cpSync(root + path, `${root}dist/${path}`, { recursive: true })
if (!process.argv.includes('--folder'))
  execFileSync('npm', ['pack', './dist/package'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })

function write(name: string, text: string): void {
  writeFileSync(folder + name, text)
}

/** A registry shows the README without the files beside it; they are served from the package as it was published. */
function absoluteLinks(text: string, { name, version }: { name: string; version: string }): string {
  return text.replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, path: string) => {
    const file = path.split('#', 1)[0] ?? ''
    // A folder is shown by no such server.
    const target = file.endsWith('/') || !posix.basename(file).includes('.') ? null : path
    if (dirname(file) !== '.' && !copied.includes(file.split('/', 1)[0] ?? ''))
      throw new Error(`README.md links to ${path}, which is not in the package.`)
    return `](https://${target === null ? 'app.unpkg.com' : 'unpkg.com'}/${name}@${version}/${target ?? `files/${file}`})`
  })
}
