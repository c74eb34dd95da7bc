/**
 * Bundles the sources into dist/ of the package, which is run from there: at its start a few files are loaded instead
 * of some five hundred. Everything is in one folder, and what is imported when it is needed stays apart.
 * Usage: node build/bundle.ts. docs/decisions/0017-start-and-memory.md says why.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile, type Plugin, type PluginBuild } from 'esbuild'
import { renderNotices } from './notices.ts'
import { bundle as bundleExplorer } from './explorer.ts'
import { installedWith } from './installed.ts'
import { bundle as bundlePlayground } from './playground.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** The program, and the modules that share its code but are started or loaded by their names. */
const programs = [
  'src/cli/main.ts',
  'src/cli/serve/serve-worker.ts',
  'src/query/parse/execute-introspection.ts',
]
/**
 * Threads and processes that need little of it, by what their names end in. They have their own copies, so that each
 * loads only what it needs.
 */
const helpers = globSync('src/**/*-{child,thread,worker}.ts', { cwd: root }).filter(
  (file) => !programs.includes(file),
)
/** Whoever has them is faster; the packages that ask for them do without. */
const optional = ['bufferutil', 'canvas', 'pg-native', 'utf-8-validate']
/** Each with all that it imports is kept together; what has been named before stays where it is. */
const together = ['src/cli/main.ts', 'src/cli/service/service.ts']

const common = {
  absWorkingDir: root,
  outdir: 'dist/package/dist',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  metafile: true,
  format: 'esm',
  platform: 'node',
  // Node runs the sources as they are written; so it does what is made of them.
  target: 'esnext',
  external: [...installedWith],
  // Packages in CommonJS ask for Node's modules by `require`. No name in the sources may be the one that is made here.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions

const folder = new URL('../dist/package/dist/', import.meta.url)
rmSync(new URL('../', folder), { recursive: true, force: true })
const plan = await build({ ...common, entryPoints: programs, write: false })
const plugins = [
  keptTogether(plan.metafile),
  { name: 'loaded late', setup: loadedLate },
  { name: 'vocabulary as JSON', setup: vocabularyAsJson },
]
const made = [
  await build({ ...common, entryPoints: programs, plugins }),
  await build({ ...common, entryPoints: helpers }),
]
assertSame(installedWith, importedBy(made.map(({ metafile }) => metafile)))
const pages = { playground: await bundlePlayground(), explorer: await bundleExplorer() }
for (const [page, { files }] of Object.entries(pages)) {
  const into = new URL(`${page}/`, folder)
  mkdirSync(into)
  for (const [name, contents] of files) writeFileSync(new URL(name, into), contents)
}
const notices = renderNotices(root, [
  ...made.map(({ metafile }) => metafile),
  ...Object.values(pages).flatMap(({ metafiles }) => metafiles),
])
writeFileSync(new URL('THIRD-PARTY-NOTICES.txt', folder), notices)

/** Packages that the files ask for at run time. */
function importedBy(metafiles: readonly Metafile[]): Set<string> {
  const imports = metafiles
    .flatMap(({ outputs }) => Object.values(outputs).flatMap(({ imports }) => imports))
    .filter(({ path, external }) => external === true && !isBuiltin(path) && !optional.includes(path))
  return new Set(imports.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path))
}

/** What is installed with the program is what the program imports, no more and no less. */
function assertSame(dependencies: readonly string[], imported: ReadonlySet<string>): void {
  const problems = [
    ...dependencies.filter((name) => !imported.has(name)).map((name) => `Nothing imports ${name}.`),
    ...[...imported].filter((name) => !dependencies.includes(name)).map((name) => `${name} is imported.`),
  ]
  if (problems.length > 0)
    throw new Error(`What is installed with the package is not what it imports: ${problems.join(' ')}`)
}

/** Fastify asks for all of Node's servers and uses one: these take longer to load than its own code. */
function loadedLate({ onResolve, onLoad }: PluginBuild): void {
  onResolve({ filter: /^node:(https|http2)$/ }, ({ path, importer }) =>
    /fastify[/\\]lib/.test(importer) ? { path, namespace: 'late' } : null,
  )
  onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
    contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] })`,
  }))
}

/** A list of 200,000 texts: read as JSON, it takes two thirds of the time and memory that it takes as a program. */
function vocabularyAsJson({ onLoad }: PluginBuild): void {
  onLoad({ filter: /bpeRanks[/\\]o200k_base\.js$/ }, async ({ path }) => {
    const { default: vocabulary } = await import(path)
    return { contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(vocabulary))})` }
  })
}

/**
 * esbuild makes a file of all modules that are needed by exactly the same others. With twenty commands those were
 * fifty small files for `serve`, each of which takes half a millisecond. So whoever needs a part of what is kept
 * together is made to need all of it. Nothing runs twice, or in another order, because it only defines things.
 */
function keptTogether({ inputs }: Metafile): Plugin {
  const groups: { readonly head: string; readonly files: readonly string[] }[] = []
  for (const head of together) {
    const before = new Set(groups.flatMap(({ files }) => files))
    groups.push({ head, files: [...loadedWith(head, inputs)].filter((file) => !before.has(file)) })
  }
  const late = Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
  )
  const added = new Map<string, string>()
  for (const file of new Set([...programs, ...late])) {
    if (inputs[file] === undefined) continue
    const loaded = loadedWith(file, inputs)
    const needed = groups.filter(({ head, files }) => head !== file && files.some((one) => loaded.has(one)))
    const statements = needed.map(({ head }) => `\nimport ${JSON.stringify(resolve(root, head))}`)
    added.set(resolve(root, file), statements.join(''))
  }
  return {
    name: 'kept together',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const more = added.get(path)
        if (more === undefined || more === '') return null
        return { contents: readFileSync(path, 'utf8') + more, loader: 'ts', resolveDir: dirname(path) }
      })
    },
  }
}

/** The module and all that is loaded before it runs. */
function loadedWith(file: string, inputs: Metafile['inputs']): Set<string> {
  const loaded = new Set([file])
  for (const one of loaded)
    for (const { path, kind, external } of inputs[one]?.imports ?? [])
      if (external !== true && kind !== 'dynamic-import') loaded.add(path)
  return loaded
}
