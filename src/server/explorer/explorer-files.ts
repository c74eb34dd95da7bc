/** The explorer's scripts and styles. */
import { bundledFiles } from '../http/bundled-files.ts'

/** A checkout bundles them from its sources. */
export const loadExplorerFiles = bundledFiles('explorer', async () => {
  const bundler = new URL('../../../build/explorer.ts', import.meta.url)
  const { bundleExplorer } = (await import(bundler.href)) as {
    bundleExplorer: () => Promise<{ readonly files: ReadonlyMap<string, Uint8Array> }>
  }
  return (await bundleExplorer()).files
})
