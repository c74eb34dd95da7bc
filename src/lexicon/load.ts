/** Loads a directory tree of lexicon documents. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { isObject } from '../util/is-object.ts'
import { measureJson } from '../util/text/json-depth.ts'
import { editDistance, nearest } from '../util/text/nearest.ts'
import { buildLexicons, type LexiconFile, type LexiconProblem, type LexiconSet } from './lexicons.ts'
import { displayFile, referencesFile, storiesFile } from './document.ts'

export type LoadedLexicons =
  | {
      readonly ok: true
      readonly lexicons: LexiconSet
      /** The content of `display.json`, unchecked; undefined without that file. */
      readonly display: unknown
    }
  | { readonly ok: false; readonly problems: readonly LexiconProblem[] }

/** Reads the `*.json` below a directory, with `references.json`, `stories.json` and `display.json` at its root. */
export async function loadLexicons(dir: string): Promise<LoadedLexicons> {
  const names = await listJsonFiles(dir, '', new Set())
  if (typeof names === 'string') return { ok: false, problems: [wholeDirectory(dir, names)] }
  const unreadable: LexiconProblem[] = []
  const files: LexiconFile[] = []
  const others = new Map<string, unknown>()
  for (const file of names) {
    const meant = meantFile(file)
    if (!file.endsWith('.json')) {
      unreadable.push(misnamed(file, meant))
      continue
    }
    const parsed = parseJsonFile(await readFile(join(dir, file)))
    if (!parsed.ok) unreadable.push({ file, path: '', problem: parsed.problem, remedy: notJsonRemedy })
    else if ([referencesFile, storiesFile, displayFile].includes(file)) others.set(file, parsed.value)
    else if (meant !== null && !isLexicon(parsed.value)) unreadable.push(misnamed(file, meant))
    else files.push({ file, document: parsed.value })
  }
  if (files.length === 0 && unreadable.length === 0)
    return { ok: false, problems: [wholeDirectory(dir, 'has no lexicon documents in it')] }
  const result = buildLexicons(files, others.get(referencesFile), others.get(storiesFile))
  if (result.ok && unreadable.length === 0) return { ...result, display: others.get(displayFile) }
  // Problems of the whole set are not reported: the contents of unreadable files are unknown.
  const found = result.ok ? [] : result.problems.filter(({ file }) => unreadable.length === 0 || file !== '')
  const problems = [...unreadable, ...found]
  return { ok: false, problems: problems.map((problem) => ({ ...problem, file: join(dir, problem.file) })) }
}

const notJsonRemedy = 'Correct the file, or move it out of the directory when it is no lexicon.'

function isLexicon(value: unknown): boolean {
  return isObject(value) && ('lexicon' in value || 'defs' in value)
}

function misnamed(file: string, meant: string | null): LexiconProblem {
  return {
    file,
    path: '',
    problem: 'This file is not a lexicon document, and has no meaning under its name.',
    remedy: `Did you mean "${meant}", at the root of the directory? Rename it, or move it out of the directory.`,
  }
}

/** The file that is not a lexicon and whose name this one probably misspells; null for names of backups and others. */
function meantFile(file: string): string | null {
  const { name, ext } = parse(file)
  const isJson = ext === '' || editDistance(ext.toLowerCase(), '.json', 1, true) !== null
  if (!isJson || /~$|l$/i.test(ext)) return null
  const found = nearest(name, Object.keys(otherFiles))
  return found === null ? null : otherFiles[found]!
}

const otherFiles: Readonly<Record<string, string>> = {
  references: referencesFile,
  reference: referencesFile,
  stories: storiesFile,
  story: storiesFile,
  display: displayFile,
}

function wholeDirectory(dir: string, what: string): LexiconProblem {
  const remedy = 'Name a directory of lexicon documents: JSON files, in folders or not.'
  return { file: dir, path: '', problem: `The lexicon directory ${JSON.stringify(dir)} ${what}.`, remedy }
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
      if (kind.isFile() && (name.endsWith('.json') || (below === '' && meantFile(name) !== null)))
        names.push(at)
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
    if (measureJson(text).depth > deepest)
      return { ok: false, problem: `This file nests deeper than ${deepest} levels.` }
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8'
    return { ok: false, problem: `This file is not JSON: ${why}.` }
  }
}
