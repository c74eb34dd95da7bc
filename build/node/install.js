// Runs after `npm ci` of a checkout. The machine's Node may be older than the program needs: then a newer one is
// installed in this folder, from its lock file. Either way node_modules/.bin/node leads to one that is new enough, and
// npm scripts find it first. Plain JavaScript, because an old Node runs it.
import { execSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('./', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const required = readJson(join(root, 'package.json')).engines.node.replace('>=', '')

try {
  link(isOlder(process.versions.node, required) ? installNode() : process.execPath)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

/** The path of the Node that is installed here. One that is there already is kept. */
function installNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = 'node-' + platform + '-' + process.arch
  const version = readJson(join(folder, 'package.json')).optionalDependencies[name]
  const needs = 'Lexigraph needs Node ' + required + ' or newer; this is ' + process.version
  if (version === undefined)
    throw new Error(
      needs + ', and build/node has none for ' + platform + '-' + process.arch + '. Install a newer Node.',
    )
  const installed = join(folder, 'node_modules', name)
  const node = join(installed, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (versionOf(node) === 'v' + version) return node
  console.log(needs + '. Node ' + version + ' is being installed in build/node (120 MB, once).')
  npmCi()
  // npm says nothing of it, because each package is for some machines only.
  if (!existsSync(installed))
    throw new Error(
      'Node ' + version + ' cannot be fetched from the registry. Try again, or install a newer Node.',
    )
  // A third of the package: headers and manuals.
  for (const unused of ['include', 'share']) rmSync(join(installed, unused), { recursive: true, force: true })
  if (versionOf(node) === 'v' + version) return node
  throw new Error(
    needs + ', and Node ' + version + ' of the registry does not run here. Install a newer Node.',
  )
}

/** Null if it does not run, because it is not there, or is made for another system. */
function versionOf(node) {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return stdout ? stdout.trim() : null
}

function npmCi() {
  try {
    // The command's own options would be inherited: where to install, and what to leave out.
    execSync('npm ci --prefix . --include=optional --no-audit --no-fund --prefer-offline --loglevel=error', {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch {
    throw new Error(
      'Node cannot be installed: see above what npm says, and try again, or install a newer Node.',
    )
  }
}

/** Makes node_modules/.bin/node lead there; relative within the checkout, so that it can be moved. */
function link(node) {
  const bin = join(root, 'node_modules', '.bin')
  const isOwn = node.startsWith(folder)
  mkdirSync(bin, { recursive: true })
  if (process.platform === 'win32') {
    const target = isOwn ? '%~dp0\\' + relative(bin, node) : node
    writeFileSync(join(bin, 'node.cmd'), '@"' + target + '" %*\r\n')
  } else {
    rmSync(join(bin, 'node'), { force: true })
    symlinkSync(isOwn ? relative(bin, node) : node, join(bin, 'node'))
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number)
  const [requiredMajor, requiredMinor] = than.split('.').map(Number)
  return major < requiredMajor || (major === requiredMajor && minor < requiredMinor)
}
