/**
 * Bundles the playground's page: GraphiQL, its editor, and the editor's workers, all for browsers. The published package
 * has the files; in a checkout the server makes them, in memory, for the first browser that asks.
 * docs/decisions/0005-playground.md says what is left out.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type Metafile, type PluginBuild, build, stop } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))

const common = {
  absWorkingDir: root,
  outdir: 'playground',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  metafile: true,
  write: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
} satisfies BuildOptions

export interface PlaygroundBundle {
  /** By their names; all are in one folder. `page.js` and `page.css` are what the page names. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly metafiles: readonly Metafile[]
}

export async function bundle(): Promise<PlaygroundBundle> {
  const made = await Promise.all([
    build({
      ...common,
      splitting: true,
      entryPoints: ['playground/page.ts'],
      plugins: [{ name: 'left out', setup: leaveOut }],
      // GraphiQL names the forms for `require`, of which an `import()` here has only the default export.
      alias: {
        'prettier/parser-babel': 'prettier/plugins/babel',
        'prettier/parser-graphql': 'prettier/plugins/graphql',
      },
    }),
    build({
      ...common,
      entryPoints: {
        'editor-worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
        'graphql-worker': 'monaco-graphql/esm/graphql.worker.js',
        'json-worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
      },
    }),
  ])
  // A server needs the bundler once; its process and memory are not kept.
  await stop()
  // Of the editor's style sheets nothing is left.
  const files = made.flatMap(({ outputFiles }) => outputFiles.filter(({ contents }) => contents.length > 0))
  return {
    files: new Map(files.map(({ path, contents }) => [basename(path), contents])),
    metafiles: made.map(({ metafile }) => metafile),
  }
}

function leaveOut({ onLoad, onResolve }: PluginBuild): void {
  // GraphiQL's style sheet has that of the editor in it. Its fonts are left to the system.
  onLoad({ filter: /monaco-editor[/\\].*\.css$/ }, () => ({ contents: '', loader: 'css' }))
  onLoad({ filter: /graphiql[/\\]dist[/\\]style\.css$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replaceAll(/@font-face\s*\{[^}]*(?:Roboto|Fira Code)[^}]*\}/g, ''),
    loader: 'css',
  }))
  // It would show pictures that records name, from hosts that would learn who reads.
  onResolve({ filter: /\/image-preview\.js$/ }, ({ path }) => ({ path, namespace: 'no pictures' }))
  onLoad({ filter: /./, namespace: 'no pictures' }, () => ({
    contents:
      'export const ImagePreview = { shouldRender: () => false }; export const pathToURL = () => undefined',
  }))
}
