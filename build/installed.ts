/**
 * What `npm install lexigraph` installs next to the published package. All other dependencies are bundled into it:
 * those in package.json are what a checkout needs to run its sources.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names of packages that the published package depends on. */
export const installedWith: readonly string[] = ['@atproto-labs/fetch-node']

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Paths of these packages and of all that they depend on, by the lock file in the folder `root`. */
export function installedPackages(root: string): readonly string[] {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const paths = new Set(installedWith.map((name) => `node_modules/${name}`))
  for (const path of paths)
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) paths.add(find(name, path))
  return [...paths]

  /** Packages look for others in their own folder first, then in those around it. */
  function find(name: string, from: string): string {
    for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
      const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
      if (path in packages) return path
      if (folder === '') throw new Error(`The lock file has no ${name}, which ${from} depends on.`)
    }
  }
}
