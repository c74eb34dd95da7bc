/** The package as it is published, which is bundled: what is in it, and that its program starts. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installedPackages } from '../build/installed.ts'
import { unpackPackage } from '../build/unpack.ts'
import { runProgram } from './network/service.ts'
import { until } from './support/until.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let program = ''
let unpacked = ''
before(async () => {
  // A run of all tests has made it already.
  program = process.env['TEST_PROGRAM'] ?? (await unpackPackage(join(folder, 'package')))
  unpacked = dirname(dirname(program))
})

test('the package has what is run, the lexicons, and the licences of what is bundled', () => {
  const files = globSync('**', { cwd: unpacked, exclude: ['node_modules'], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
  for (const file of ['lexigraph.js', 'main.js', 'references.json', 'LICENSE'])
    assert.ok(files.includes(file), file)
  assert.deepEqual(
    files.filter((file) => file.endsWith('.ts')),
    [],
  )
  const notices = readFileSync(join(unpacked, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const name of ['fastify', 'graphiql', 'graphql', 'monaco-editor', 'pino', 'react'])
    assert.match(
      notices,
      new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, MIT\\n(?:(?!-{80})[^])+Permission is hereby granted`, 'm'),
    )
})

test('the package asks for little more than itself', () => {
  const installed = installedPackages(root)
  assert.ok(installed.length <= 9, installed.join())
  const { dependencies, ...description } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
  assert.deepEqual(Object.keys(dependencies), ['@atproto-labs/fetch-node'])
  for (const member of ['private', 'scripts', 'devDependencies', 'allowScripts'])
    assert.equal(description[member], undefined, member)
  for (const member of ['author', 'description', 'engines', 'keywords', 'license'])
    assert.notEqual(description[member], undefined, member)
})

test('links and pictures of the README lead to files of the package, wherever it is shown', () => {
  const { name, version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
  const readme = readFileSync(join(unpacked, 'README.md'), 'utf8')
  const links = Array.from(readme.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link)
  assert.ok(links.some((link) => link.endsWith('.svg')))
  for (const link of links.filter((each) => !each.startsWith('#'))) {
    const [, path] = /^https:\/\/(?:app\.)?unpkg\.com\/([^#]+)/.exec(link) ?? []
    if (path === undefined) assert.match(link, /^https:/)
    else assert.ok(existsSync(path.replace(`${name}@${version}`, unpacked).replace('/files/', '/')), link)
  }
})

test('links between the pages of the package lead to files of the package', () => {
  const pages = globSync('{*,{bench,deploy,docs}/**/*}.md', { cwd: unpacked })
  assert.ok(pages.includes('docs/decisions/0006-access-paths.md'))
  const broken = pages.flatMap((page) => {
    const prose = readFileSync(join(unpacked, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '')
    return Array.from(prose.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g), ([, link = '']) => link)
      .filter((link) => !existsSync(join(unpacked, dirname(page), link)))
      .map((link) => `${page}: ${link}`)
  })
  assert.deepEqual(broken, [])
})

test('the versions of Node that are named are the same everywhere', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const required = engines.node.replace('>=', '')
  assert.match(readFileSync(join(root, 'bin/lexigraph.js'), 'utf8'), new RegExp(`'${required}'`))
  for (const file of ['README.md', 'CONTRIBUTING.md'])
    assert.match(readFileSync(join(root, file), 'utf8'), new RegExp(`Node ${required} or newer`), file)
  const [major] = required.split('.')
  for (const [, image] of readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm))
    assert.equal(image, `node:${major}-slim`)
})

test('an older Node is told in a sentence which one is needed', () => {
  // The program asks for nothing but the version before it says so.
  const old = `Object.defineProperty(process.versions, 'node', { value: '24.18.9' })`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(old)}`, program, 'status'],
    {
      encoding: 'utf8',
    },
  )
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^Lexigraph needs Node 24\.19 or newer; this is v[\d.]+\. Install a newer Node[^\n]*\n$/,
  )
})

test('the image is built in layers that keep packages while sources change', () => {
  const stages = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .slice(1)
  const lines = stages.map((stage) => stage.split('\n'))
  const installing = lines.filter((stage) => stage.some((line) => line.startsWith('RUN npm ci')))
  assert.equal(installing.length, 1)
  for (const stage of installing) {
    const before = stage.slice(
      0,
      stage.findIndex((line) => line.startsWith('RUN npm ci')),
    )
    assert.deepEqual(
      before.filter((line) => line.startsWith('COPY')),
      ['COPY package.json package-lock.json ./'],
    )
  }
  // What the package is made of is let in.
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8')
  for (const name of [
    'bench/README.md',
    'bench/peers/README.md',
    'bin',
    'build',
    'demo',
    'deploy',
    'docs',
    'explorer',
    'lexicons',
    'playground',
    'src',
    'Dockerfile',
    'LICENSE',
    '*.md',
  ])
    assert.match(ignored, new RegExp(`^!${name.replace('*', '\\*')}$`, 'm'))
})

test('each module that is started by its name has a file of its own', () => {
  const sources = globSync('src/**/*-{child,thread,worker}.ts', { cwd: root })
  assert.ok(sources.length > 6)
  const expected = sources.map((file) => basename(file).replace(/ts$/, 'js')).toSorted()
  const found = globSync('*-{child,thread,worker}.js', { cwd: join(unpacked, 'dist') })
  assert.deepEqual(found.toSorted(), expected)
})

test('the demo answers, and every command has its help', async () => {
  const demo = spawn(process.execPath, [program, 'demo', '--port', '0', '--log-level', 'error'])
  demo.stderr.resume()
  let said = ''
  demo.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
  })
  const ended = once(demo, 'close')
  await until(() => said.includes('The server runs until Ctrl+C'))
  demo.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
  const { stdout, status } = await runProgram(['mcp', '--help'], { program })
  assert.deepEqual([stdout.includes('Usage: lexigraph mcp'), status], [true, 0])
})
