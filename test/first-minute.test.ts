/** A checkout after `npm ci --omit=dev`, and the Node that is installed where the machine's is too old. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Json } from './reference/shapes.ts'
import { longTest, someForms } from './support/rounds.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-first-minute-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const checkout = join(folder, 'checkout')
const program = join(checkout, 'bin/lexigraph.js')
const { packages } = readJson(join(root, 'package-lock.json'))
/** Paths of packages that `--omit=dev` installs. Those of other platforms are not there. */
const installed = Object.entries<{ readonly dev?: boolean }>(packages)
  .filter(([path, { dev }]) => path.lastIndexOf('node_modules/') === 0 && dev !== true)
  .map(([path]) => path)
  .filter((path) => existsSync(join(root, path)))

before(() => {
  for (const name of ['bin', 'build', 'demo', 'explorer', 'lexicons', 'package.json', 'src', 'tsconfig.json'])
    cpSync(join(root, name), join(checkout, name), {
      recursive: true,
      filter: (path) => !path.endsWith('node_modules'),
    })
  for (const path of installed) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    symlinkSync(join(root, path), join(checkout, path), 'junction')
  }
})

test('what is installed without packages of development takes at most 100 MB', () => {
  const bytes = installed
    .flatMap((path) => globSync(`${path}/**`, { cwd: root }))
    .reduce((sum, file) => sum + lstatSync(join(root, file)).blocks * 512, 0)
  assert.ok(bytes > 0)
  assert.ok(bytes < 100_000_000, `${bytes} bytes`)
})

longTest(
  'the demo runs without packages of development, and says that the editor is among them',
  {},
  async (t) => {
    const demo = spawn(process.execPath, [program, 'demo', '--port', '0', '--log-level', 'error'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => demo.kill('SIGKILL'))
    const said = text(demo.stderr)
    const ended = once(demo, 'exit')
    const lines: string[] = []
    for await (const line of createInterface({ input: demo.stdout })) {
      lines.push(line)
      if (line.startsWith('The server runs until')) break
    }
    const [, url = ''] = / are served at (http:\S+)$/m.exec(lines.join('\n')) ?? []
    assert.ok(lines.includes('The editor for queries is part of the full install: run `npm ci` for it.'))

    const page = await (await fetch(`${url}/c/tech.service.news.article/charts?by=language`)).text()
    const files = Array.from(
      page.matchAll(/(?:src|href)="(\/explorer\/[^"]+\.(?:js|css))"/g),
      ([, path]) => path,
    )
    assert.equal(files.length, 2)
    for (const path of files) assert.equal((await fetch(url + path)).status, 200, path)

    const inBrowser = await fetch(`${url}/api/graphql`, { headers: { accept: 'text/html' } })
    const html = await inBrowser.text()
    assert.match(html, /The editor for queries is not installed.+run <code>npm ci<\/code>/s)
    const [, first = ''] = /href="(\/api\/graphql\?query=[^"]+)"/.exec(html) ?? []
    const answer = await fetch(url + first, { headers: { accept: 'text/html' } })
    assert.match(await answer.text(), /^\{"data":\{"techServiceNews\w+":\{"totalCount":[1-9]/)

    assert.equal((await fetch(`${url}/playground/000000000000/page.js`)).status, 404)

    demo.kill('SIGINT')
    assert.deepEqual(await ended, [0, null])
    assert.equal(await said, '')
  },
)

test('serving agents without packages of development is refused in a sentence', () => {
  for (const args of someForms([['mcp'], ['demo', '--mcp', '--port', '0']])) {
    const { stderr, status } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
    const sentence = 'Serving agents needs packages of the full install: run `npm ci` for them.\n'
    assert.deepEqual([stderr, status], [sentence, 1])
  }
})

test('npm scripts run on the Node of the machine if it is new enough', () => {
  assert.deepEqual(install(), { stdout: '', stderr: '', status: 0 })
  assert.equal(realpathSync(join(checkout, 'node_modules/.bin/node')), realpathSync(process.execPath))
  assert.ok(!existsSync(join(checkout, 'build/node/node_modules')))
})

test('npm scripts run on a Node of the checkout if the one of the machine is too old', () => {
  const own = join(checkout, 'build/node')
  const { optionalDependencies } = readJson(join(own, 'package.json'))
  const name = `node-${process.platform}-${process.arch}`
  const node = join(own, 'node_modules', name, 'bin/node')
  mkdirSync(dirname(node), { recursive: true })
  writeFileSync(node, `#!/bin/sh\necho v${optionalDependencies[name]}\n`, { mode: 0o755 })
  assert.deepEqual(install('24.18.9'), { stdout: '', stderr: '', status: 0 })
  const link = join(checkout, 'node_modules/.bin/node')
  assert.equal(readlinkSync(link), `../../build/node/node_modules/${name}/bin/node`)
  assert.equal(realpathSync(link), realpathSync(node))
})

test('a machine for which the registry has no Node is told to install one', () => {
  const { stderr, status } = install('24.18.9', 'sunos')
  assert.match(
    stderr,
    /^Lexigraph needs Node 24\.19 or newer; .+ none for sunos-\w+\. Install a newer Node\.\n$/,
  )
  assert.equal(status, 1)
})

test('the Node of the checkout is new enough, and its lock file names every platform', () => {
  const { engines } = readJson(join(root, 'package.json'))
  const { optionalDependencies } = readJson(join(root, 'build/node/package.json'))
  const [major, minor] = engines.node.replace('>=', '').split('.').map(Number)
  const locked = readJson(join(root, 'build/node/package-lock.json')).packages
  for (const [name, version] of Object.entries<string>(optionalDependencies)) {
    assert.equal(locked[`node_modules/${name}`].version, version)
    const [ownMajor, ownMinor = 0] = version.split('.').map(Number)
    assert.ok(ownMajor === major && ownMinor >= minor, `${name} ${version}`)
  }
})

/** Runs the script that follows `npm ci`, as if Node and the machine were these. */
function install(version = process.versions.node, platform: string = process.platform) {
  const pretended = `
    Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(version)} })
    Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} })`
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(pretended)}`,
      join(checkout, 'build/node/install.js'),
    ],
    { encoding: 'utf8' },
  )
  return { stdout, stderr, status }
}

function readJson(file: string): Json {
  return JSON.parse(readFileSync(file, 'utf8'))
}
