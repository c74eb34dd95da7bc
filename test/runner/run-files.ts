/** Runs test files in this process, which is ten times faster than a process for each, and ends the process. */
import { subscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { run } from 'node:test'
import { spec as SpecReporter } from 'node:test/reporters'
import fc from 'fast-check'
import { commandOf, familyOf } from '../support/processes.ts'
import { seed } from '../support/rounds.ts'
import { endOnSignals } from './end-on-signals.ts'
import { type Outcome, skippedLine } from './outcome.ts'
import { root } from './test-files.ts'

/** Milliseconds; ten times what the longest test of the suite may take on a busy machine. A soak has its own command. */
const longestTest = 900_000

/** Milliseconds after the last hook until a run that something keeps is ended. */
const longestEnd = 60_000

export async function runFiles(files: readonly string[], grace = longestEnd): Promise<void> {
  if (files.length === 0) {
    console.error('No test file has such a path.')
    process.exit(1)
  }
  fc.configureGlobal({ seed })
  endOnSignals()
  const skips: Record<string, number> = {}
  let tests = 0
  let failed = 0
  let isSuccess = false
  let isOver = false
  let started = files[0]
  const events = run({ cwd: root, files: [...files], isolation: 'none', timeout: longestTest })
  events.on('test:dequeue', ({ name }) => (started = name))
  events.on('test:pass', ({ skip }) => {
    if (skip === undefined || skip === false) return
    const reason = typeof skip === 'string' ? skip : 'no reason is given'
    skips[reason] = (skips[reason] ?? 0) + 1
  })
  // Hooks of a file count too, which the summary leaves out.
  events.on('test:fail', ({ name, details: { error } }) => {
    failed += 1
    // What it waits for, such as a server, would keep this process for good.
    if ('failureType' in error && error.failureType === 'testTimeoutFailure')
      endBy(name, 'it hangs', `\nIts processes:\n${familyOf(process.pid).map(commandOf).join('\n')}`)
  })
  events.on('test:summary', ({ file, success, counts }) => {
    if (file !== undefined) return
    isSuccess = success && failed === 0
    tests = counts.tests
  })
  // It belongs to the test that is named, or to an earlier one that left work behind.
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(kind, (error: unknown) => endBy(started, 'an error that nothing catches', error))
  process.on('exit', (code) => {
    if (isOver || code !== 0) return
    console.log(`\n✖ ${started} (the process ended during this test)`)
    process.exitCode = 1
  })
  // Node reports the end of a run once nothing keeps the process, which a server that was left open does for good.
  subscribe('tracing:node.test:end', (ended) => {
    const { name } = ended as { readonly name: string }
    if (name === '<root>') setTimeout(endRun, grace).unref()
  })
  const report = events.compose<Transform>(new SpecReporter())
  report.on('end', async () => {
    isOver = true
    const broken = await filesNotLoaded(files)
    if (broken > 0)
      console.log(`\n${broken} test files did not load to their end; some of their tests never ran.`)
    const isGreen = isSuccess && broken === 0
    if (process.send === undefined) {
      console.log(isGreen ? `\nAll ${tests} tests passed.` : `\n${failed} of ${tests} tests FAILED.`)
      const skipped = skippedLine(skips)
      if (skipped !== '') console.log(skipped)
    }
    // A handle that a test left open must not keep the process; a failure must not look like success.
    const end = (): never => process.exit(isGreen ? 0 : 1)
    const outcome: Outcome = { tests, failed, skips }
    if (process.send === undefined) end()
    else process.send(outcome, undefined, undefined, end)
  })
  report.pipe(process.stdout)
}

/** Ends a run whose tests and hooks have ended, and says what keeps it. */
function endRun(): void {
  console.log(`\nA test left something open: ${process.getActiveResourcesInfo().join(', ')}.`)
  process.emit('beforeExit', 0)
}

/** The reason stands where the spec reporter prints a duration; `test/mutants/run.ts` reads such lines. */
function endBy(test: string | undefined, reason: string, ...error: readonly unknown[]): never {
  console.log(`\n✖ ${test} (${reason})`, ...error)
  process.exit(1)
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
