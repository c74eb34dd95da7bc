/** Reads a directory tree of JSON files. It must not know what a lexicon contains. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonDepth } from '../util/text/json-depth.ts'

/** A parsed JSON file, expected to be a lexicon document. */
export interface LexiconFile {
  readonly file: string
  readonly document: unknown
}

export interface LexiconDirectory {
  readonly files: readonly LexiconFile[]
  /** Undefined when there is no such file. */
  readonly references: unknown
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[]
}

/** The file of reference targets, at the root of the directory. */
export const referencesFile = 'references.json'

/** Reads all `*.json` files; `references.json` at the root is separate. A text says what is wrong with the directory. */
export async function readDirectory(dir: string): Promise<LexiconDirectory | string> {
  const names = await listJsonFiles(dir, '', new Set())
  if (typeof names === 'string') return names
  const unreadable: { file: string; problem: string }[] = []
  const files: LexiconFile[] = []
  let references: unknown
  for (const name of names) {
    const parsed = parseJsonFile(await readFile(join(dir, name)))
    if (!parsed.ok) unreadable.push({ file: name, problem: parsed.problem })
    else if (name === referencesFile) references = parsed.value
    else files.push({ file: name, document: parsed.value })
  }
  if (files.length === 0 && unreadable.length === 0) return 'has no lexicon documents in it'
  return { files, references, unreadable }
}

/** Far deeper than any lexicon, and far from overflowing the stack. */
const deepest = 128

/** Paths below `dir` in code point order, without hidden files; a text says what is wrong with the directory. */
async function listJsonFiles(dir: string, below: string, seen: Set<string>): Promise<string[] | string> {
  const names: string[] = []
  let at = below
  try {
    // Mounted directories are often links; a link to a parent directory must not cause a loop.
    const real = await realpath(join(dir, below))
    if (seen.has(real)) return names
    seen.add(real)
    for (const name of (await readdir(real)).toSorted()) {
      if (name.startsWith('.')) continue
      at = join(below, name)
      const kind = await stat(join(dir, at))
      if (kind.isFile() && name.endsWith('.json')) names.push(at)
      if (!kind.isDirectory()) continue
      const nested = await listJsonFiles(dir, at, seen)
      if (typeof nested === 'string') return nested
      names.push(...nested)
    }
    return names
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT')
      return at === '' ? 'does not exist' : `has the broken link ${JSON.stringify(at)} in it`
    if (code === 'ENOTDIR') return 'is a file'
    if (code === 'EACCES' || code === 'EPERM')
      return at === '' ? 'may not be read' : `has ${JSON.stringify(at)} in it, which may not be read`
    throw error
  }
}

function parseJsonFile(bytes: Uint8Array): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (jsonDepth(text) > deepest)
      return { ok: false, problem: `This file nests deeper than ${deepest} levels.` }
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8'
    return { ok: false, problem: `This file is not JSON: ${why}.` }
  }
}
