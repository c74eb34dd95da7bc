/** Runs test files in this process, which is ten times faster than a process for each, and ends the process. */
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { run } from 'node:test'
import { spec as SpecReporter } from 'node:test/reporters'
import { type Outcome, skippedLine } from './outcome.ts'
import { root } from './test-files.ts'

/** Milliseconds; ten times what the longest test of the suite may take on a busy machine. A soak has its own command. */
const longestTest = 900_000

/** What is said in place of the time that a test took. The test that runs is the one that the error comes from, or an earlier. */
export const uncaught = 'an error that nothing catches'

export async function runFiles(files: readonly string[]): Promise<void> {
  if (files.length === 0) {
    console.error('No test file has such a path.')
    process.exit(1)
  }
  const skips: Record<string, number> = {}
  let outcome: Outcome = { tests: 0, failed: 0, skips }
  let isSuccess = false
  // A test that hangs fails by its name, and the others go on.
  const events = run({ cwd: root, files: [...files], isolation: 'none', timeout: longestTest })
  events.on('test:pass', ({ skip }) => {
    if (skip === undefined || skip === false) return
    const reason = typeof skip === 'string' ? skip : 'no reason is given'
    skips[reason] = (skips[reason] ?? 0) + 1
  })
  events.on('test:summary', ({ file, success, counts }) => {
    if (file !== undefined) return
    isSuccess = success
    outcome = { tests: counts.tests, failed: counts.tests - counts.passed - counts.skipped, skips }
  })
  let started = ''
  events.on('test:dequeue', ({ name }) => (started = name))
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(kind, (error: unknown) => {
      console.log(`\n✖ ${started} (${uncaught})`, error)
      process.exit(1)
    })
  const report = events.compose<Transform>(new SpecReporter())
  report.on('end', async () => {
    const broken = await filesNotLoaded(files)
    if (broken > 0)
      console.log(`\n${broken} test files did not load to their end; some of their tests never ran.`)
    const { tests, failed } = outcome
    if (process.send === undefined) {
      console.log(isSuccess ? `\nAll ${tests} tests passed.` : `\n${failed} of ${tests} tests FAILED.`)
      const skipped = skippedLine(skips)
      if (skipped !== '') console.log(skipped)
    }
    // A handle that a test left open must not keep the process; a failure must not look like success.
    const end = (): never => process.exit(isSuccess && broken === 0 ? 0 : 1)
    if (process.send === undefined) end()
    else process.send(outcome, undefined, undefined, end)
  })
  report.pipe(process.stdout)
}

/** The runner says nothing of a file that throws once some of its tests are registered; loading it again does. */
async function filesNotLoaded(files: readonly string[]): Promise<number> {
  let broken = 0
  for (const file of files) {
    try {
      await import(pathToFileURL(join(root, file)).href)
    } catch (error) {
      broken += 1
      console.log(`\n✖ ${file}`, error)
    }
  }
  return broken
}
