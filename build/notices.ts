/** The licences of packages whose code is in the bundle, because most of them ask to be carried along. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'

export function renderNotices(root: string, bundles: readonly Metafile[]): string {
  const files = bundles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    ),
  )
  const folders = new Set(
    files.filter((file) => file.includes('node_modules/')).map((file) => packageOf(resolve(root, file))),
  )
  const notices = new Set(Array.from(folders, noticeOf).toSorted())
  const head =
    'Lexigraph contains code of these packages, each under its own licence. The letters that folding replaces are those of\n' +
    'unaccent.rules of PostgreSQL (PostgreSQL Licence; Copyright (c) 1996-2026, The PostgreSQL Global Development Group) and\n' +
    'of collations of CLDR (Unicode License v3; Copyright (c) 1991-2026 Unicode, Inc.).\n'
  return [head, ...notices].join(`\n${'-'.repeat(80)}\n\n`)
}

/** The folder of the package that a file belongs to; some have files without a name that only say how to load. */
function packageOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const description = join(folder, 'package.json')
    if (existsSync(description) && 'version' in JSON.parse(readFileSync(description, 'utf8'))) return folder
  }
  throw new Error(`${file} belongs to no package.`)
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} does not say what licence it has.`)
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|notice|copying|third-?party)/i.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim())
  return [`${name} ${version}, ${license}`, ...texts].join('\n\n').concat('\n')
}
