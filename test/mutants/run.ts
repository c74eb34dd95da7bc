/**
 * Tries every stored mutant in a copy of the checkout: its test must fail, and this prints by which test.
 * Arguments restrict it to areas, or to parts of the mutated files' paths: `npm run mutants -- mcp src/ingest`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { endOnSignals } from '../runner/end-on-signals.ts'
import { makeFolder } from '../support/removed-folders.ts'
import { loadMutants, type Mutant, mutate, root } from './mutant.ts'

const parts = process.argv.slice(2)
const chosen = Array.from(loadMutants(), ([area, mutants]) =>
  mutants.filter(
    ({ file }) => parts.length === 0 || parts.some((part) => part === area || file.includes(part)),
  ),
).flat()
if (chosen.length === 0) {
  console.error(`No mutant has such an area or path: ${parts.join(' ')}.`)
  process.exit(1)
}
endOnSignals()
const folder = makeFolder('lexigraph-mutants-')
const survivors: Mutant[] = []
const copies = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, (_, index) =>
  copyCheckout(join(folder, String(index))),
)
const tests = [...new Set(chosen.map(({ test }) => test))]
await Promise.all(
  copies.map(async (copy, index) => {
    const share = tests.filter((_, number) => number % copies.length === index)
    if (share.length === 0) return
    const { failed, printed } = await runTests(copy, share)
    if (failed) throw new Error(`The tests fail without any mutant:\n${printed}`)
  }),
)
const waiting = [...chosen]
await Promise.all(copies.map((copy) => tryMutants(copy, waiting)))
console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants were killed.`)
for (const { file, fault, test } of survivors) console.log(`SURVIVED ${file}: ${fault}; ${test} passes.`)
process.exitCode = survivors.length === 0 ? 0 : 1

/** What git knows of or would add, with the packages that are installed. */
function copyCheckout(to: string): string {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
  })
  const files = listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(join(root, file), join(to, file))
  }
  for (const packages of globSync(['node_modules', 'test/*/*/node_modules'], { cwd: root })) {
    mkdirSync(dirname(join(to, packages)), { recursive: true })
    symlinkSync(join(root, packages), join(to, packages), 'junction')
  }
  return to
}

async function tryMutants(copy: string, waiting: Mutant[]): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const path = join(copy, mutant.file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(path, mutate(source, mutant))
    const { failed, printed } = await runTests(copy, [mutant.test])
    writeFileSync(path, source)
    const names = Array.from(
      printed.matchAll(
        /^ *✖ (.+) \(([\d.]+ms|an error that nothing catches|it hangs|the process ended during this test)\)/gm,
      ),
      ([, name = '']) => name,
    ).filter((name) => !name.endsWith(mutant.test))
    const isKilled = failed && names.length > 0
    if (isKilled)
      console.log(`killed   ${mutant.file}: ${mutant.fault}\n         by ${mutant.test}: ${names[0]}`)
    else survivors.push(mutant)
  }
}

/** A failure without the name of a test is a module that does not load, which is no verdict. */
function runTests(copy: string, tests: readonly string[]): Promise<{ failed: boolean; printed: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(copy, 'test/run.js'), ...tests],
      { cwd: copy, maxBuffer: 2 ** 28 },
      (error, stdout) => resolve({ failed: error !== null, printed: stdout }),
    )
  })
}
