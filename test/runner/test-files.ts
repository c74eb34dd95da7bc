/** Which test files a command runs, told from their names and from what they import. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface TestFiles {
  readonly all: readonly string[]
  /** Start no server and no process of their own. PostgreSQL is left out by TEST_DATABASES, so its helpers do not count. */
  readonly unit: readonly string[]
  /** What a change is tested with: all but the long ones. */
  readonly short: readonly string[]
  readonly long: readonly string[]
  /** Those of `short` that draw at random, as many rounds as TEST_ROUNDS says. */
  readonly drawing: readonly string[]
}

/** Paths from the root, sorted. */
export function findTestFiles(): TestFiles {
  const all = ['src/**/*.test.ts', 'test/**/*.test.ts', 'demo/*.test.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules'] }))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
  const isLong = (file: string): boolean => file.endsWith('.long.test.ts')
  const short = all.filter((file) => !isLong(file))
  const starts = reaching(
    (text) =>
      /from '(node:(child_process|cluster|http|https|net|worker_threads)|pg|playwright-core)'/.test(text),
    (file) => /^test\/(?!support\/store\/postgres\.ts|postgres\/)/.test(file),
  )
  const draws = reaching(
    (text) => /(?<!function )\brounds\(/.test(text),
    (file) => file.startsWith('test/'),
  )
  return {
    all,
    unit: short.filter(
      (file) => /^(src\/|test\/(architecture|names|cases)\.test)/.test(file) && !starts(file),
    ),
    short,
    long: all.filter(isLong),
    drawing: short.filter(draws),
  }
}

/** Whether a file, or one that it imports and that is followed, has such a text. */
function reaching(
  found: (text: string) => boolean,
  isFollowed: (file: string) => boolean,
): (file: string) => boolean {
  const known = new Map<string, boolean>()
  const reaches = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    known.set(file, false)
    const text = readFileSync(join(root, file), 'utf8')
    const imports = Array.from(text.matchAll(/from '(\.[^']+\.ts)'/g), ([, path = '']) =>
      posix.join(posix.dirname(file), path),
    )
    const answer =
      found(text) || imports.some((path) => isFollowed(path) && existsSync(join(root, path)) && reaches(path))
    known.set(file, answer)
    return answer
  }
  return reaches
}
