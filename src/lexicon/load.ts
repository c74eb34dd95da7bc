import { join } from 'node:path'
import { buildLexicons, type LexiconProblem, type LexiconResult } from './lexicons.ts'
import { readDirectory } from './read-directory.ts'

/** Reads a directory tree of `*.json` lexicon documents, and `references.json` at its root if present. */
export async function loadLexicons(dir: string): Promise<LexiconResult> {
  const found = await readDirectory(dir)
  if (typeof found === 'string') return { ok: false, problems: [wholeDirectory(dir, found)] }
  const { files, references } = found
  const unreadable = found.unreadable.map((one) => ({ ...one, path: '', remedy: notJsonRemedy }))
  const result = buildLexicons(files, references)
  if (result.ok && unreadable.length === 0) return result
  // Problems of the whole set are not reported: the contents of unreadable files are unknown.
  const others = result.ok ? [] : result.problems.filter(({ file }) => unreadable.length === 0 || file !== '')
  const problems = [...unreadable, ...others]
  return { ok: false, problems: problems.map((problem) => ({ ...problem, file: join(dir, problem.file) })) }
}

const notJsonRemedy = 'Correct the file, or move it out of the directory when it is no lexicon.'
function wholeDirectory(dir: string, what: string): LexiconProblem {
  const remedy = 'Name a directory of lexicon documents: JSON files, in folders or not.'
  return { file: dir, path: '', problem: `The lexicon directory ${JSON.stringify(dir)} ${what}.`, remedy }
}
