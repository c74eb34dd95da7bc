// The unit tests: files that start no server and no process of their own, told from what they import of test/.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const starting = /from '(node:(child_process|cluster|http|https|net|worker_threads)|pg|playwright-core)'/

/** Paths from the root, which ends in a slash. PostgreSQL is left out by TEST_DATABASES, so its helpers do not count. */
export function unitFiles(root, files) {
  const known = new Map()
  const starts = (file) => {
    const before = known.get(file)
    if (before !== undefined) return before
    known.set(file, false)
    const text = readFileSync(`${root}${file}`, 'utf8')
    const imports = Array.from(text.matchAll(/from '(\.[^']+\.ts)'/g), ([, path]) =>
      posix.join(posix.dirname(file), path),
    )
    const found =
      starting.test(text) ||
      imports.some(
        (path) => path.startsWith('test/') && existsSync(`${root}${path}`) && startsUnlessPostgres(path),
      )
    known.set(file, found)
    return found
  }
  const startsUnlessPostgres = (path) =>
    !/^test\/(support\/postgres\.ts|postgres\/)/.test(path) && starts(path)
  return files.filter((file) => /^(src\/|test\/(architecture|names|cases)\.test)/.test(file) && !starts(file))
}
