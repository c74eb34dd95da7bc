/** Which test files a command runs, told from their names and from what they import. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface TestFiles {
  readonly all: readonly string[]
  /** Start no server and no process of their own, and do not collect garbage to measure memory, which takes seconds. */
  readonly unit: readonly string[]
  /** What a change is tested with: all but the long ones. */
  readonly short: readonly string[]
  readonly long: readonly string[]
  /** Those of `short` that draw at random, as many rounds as TEST_ROUNDS says, or try more forms then. */
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
  const draws = (file: string): boolean =>
    /(?<![.\w])(rounds|someForms|onOneDatabase|longTest|assertHolds|property)\(/.test(
      readFileSync(join(root, file), 'utf8'),
    )
  return {
    all,
    unit: short.filter((file) => /^(src\/|test\/(architecture|names)\.test)/.test(file) && !starts(file)),
    short,
    long: all.filter(isLong),
    drawing: short.filter(draws),
  }
}

const starting = /from '(node:(child_process|cluster|http|https|net|v8|worker_threads)|pg|playwright-core)'/
const known = new Map<string, boolean>()

/** Whether a file, or a module of the tests that it imports, can start a server or a process, or collect garbage. */
function starts(file: string): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  known.set(file, false)
  const text = readFileSync(join(root, file), 'utf8')
  const imports = Array.from(text.matchAll(/from '(\.[^']+\.ts)'/g), ([, path = '']) =>
    posix.join(posix.dirname(file), path),
  ).filter((path) => path.startsWith('test/') && existsSync(join(root, path)))
  const answer = starting.test(text) || imports.some(starts)
  known.set(file, answer)
  return answer
}
