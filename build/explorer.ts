/**
 * Bundles the explorer's script and styles for browsers. The published package has the files; in a checkout the server
 * makes them, in memory, for the first browser that asks.
 */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, stop } from 'esbuild'

export async function bundle(): Promise<{
  /** By name: `page.js` and `page.css`, and parts that the script loads. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly metafiles: readonly Metafile[]
}> {
  const made = await build({
    absWorkingDir: fileURLToPath(new URL('../', import.meta.url)),
    entryPoints: ['explorer/page.ts', 'explorer/page.css'],
    outdir: 'explorer',
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  // A server needs the bundler once; its process and memory are not kept.
  await stop()
  return {
    files: new Map(made.outputFiles.map(({ path, contents }) => [basename(path), contents])),
    metafiles: [made.metafile],
  }
}
