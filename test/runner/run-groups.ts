/**
 * Runs test files in groups, each in a process of its own, several at the same time; then ends the process. What a
 * run shares is made once: the published package, PostgreSQL's programs and server.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { unpackPackage } from '../../build/unpack.ts'
import { installServers } from '../network/install.ts'
import { shareBinaries } from '../postgres/binaries.ts'
import { shareCluster, versionIn } from '../postgres/shared-cluster.ts'
import { makeFolder } from '../support/removed-folders.ts'
import { endOnSignals } from './end-on-signals.ts'
import { type Outcome, skippedLine, sumOutcomes } from './outcome.ts'
import { root } from './test-files.ts'

export interface Step {
  readonly what: string
  readonly files: readonly string[]
  /** Set for its processes. */
  readonly env?: Readonly<Record<string, string>>
}

/** Groups at the same time: more than there are processors, since tests that start servers, and kill them, also wait. */
const atOnce = Math.max(4, 2 * availableParallelism())

/** Those that take longest come first, so that none runs alone at the end; what fits no pattern is the last group. */
const groups = [
  /^src\/(cli|ingest)/,
  /^test\/network\/(crash|repositories)/,
  /^src\/database\/[n-z]/,
  /^test\/(rebuilds|reloading|workers)/,
  /^test\/(network|(hiding|ingest|network|purging)-)/,
  /^test\/(backup|copy|crash|restore)\./,
  /^test\/(cli-|first|keys|lexicon-changes|operating|usage)/,
  /^(src\/explorer|test\/explorer\/[i-z])/,
  /^test\/(memory|postgres)/,
  /^test\/explorer/,
  /^test\/(agents|mcp)/,
  /^test\/(properties|reference)/,
  /^(src\/query|test\/(cases|files))/,
  /^test\/(attacks|clients|deploy|docs|example|package|playground)/,
  /^(src\/database|test\/held-up)/,
  /^src/,
]

interface GroupResult {
  readonly step: Step
  readonly outcome: Outcome
  readonly passed: boolean
  readonly printed: string
}

/** Groups of all steps at the same time: those of a step that are left would run alone at its end. */
export async function runGroups(steps: readonly Step[]): Promise<never> {
  endOnSignals()
  const failures: string[] = []
  const summaries: string[] = []
  try {
    installServers()
    await using servers = new AsyncDisposableStack()
    for (const version of new Set(steps.map(({ env }) => versionIn({ ...process.env, ...env })))) {
      if (process.env['TEST_DATABASES'] === 'sqlite') break
      shareBinaries(version)
      servers.use(await shareCluster(version))
    }
    // What is published is tested: it starts with two thirds of the computing, and hundreds are started.
    const program = makeProgram()
    const results = await runAll(steps.flatMap(groupsOf), program)
    for (const step of steps) {
      const own = results.filter((result) => result.step === step)
      const failed = own.filter(({ passed }) => !passed)
      failures.push(...failed.map(({ printed }) => printed.replaceAll(/^ *✔.*\n/gm, '')))
      summaries.push(...summarize(step, own, failed.length))
    }
  } catch (error) {
    failures.push(`${error instanceof Error ? error.message : String(error)}\n`)
  }
  // What failed is printed last, without what passed, so that the end of a log tells it.
  return await new Promise(() => {
    process.stdout.write(`\n${summaries.join('\n')}\n${failures.join('\n')}`, () =>
      process.exit(failures.length === 0 ? 0 : 1),
    )
  })
}

async function makeProgram(): Promise<void> {
  process.env['TEST_PROGRAM'] = await unpackPackage(makeFolder('lexigraph-tests-'))
}

function summarize({ what }: Step, results: readonly GroupResult[], broken: number): readonly string[] {
  const { tests, failed, skips } = sumOutcomes(results.map(({ outcome }) => outcome))
  const found = failed === 0 ? 'FAILED before the end' : `${failed} of ${tests} FAILED`
  const said = broken === 0 ? `all ${tests} passed.` : `${found}, see below.`
  const skipped = skippedLine(skips)
  return [`${what}: ${said}`, ...(skipped === '' ? [] : [skipped])]
}

/** Of a step: files that one process runs. */
interface Group {
  readonly step: Step
  readonly files: readonly string[]
}

function groupsOf(step: Step): readonly Group[] {
  if (step.files.length === 0) throw new Error(`${step.what}: there is no such test file.`)
  const groupOf = (file: string): number => {
    const found = groups.findIndex((pattern) => pattern.test(file))
    return found === -1 ? groups.length : found
  }
  const byGroup = Map.groupBy(step.files, groupOf)
  return [...byGroup.keys()].toSorted((a, b) => a - b).map((at) => ({ step, files: byGroup.get(at) ?? [] }))
}

/** Whichever process is done takes the next group, so that no processor is without work before the end. */
async function runAll(waiting: Group[], program: Promise<void>): Promise<readonly GroupResult[]> {
  const results: GroupResult[] = []
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      // Tests beside their modules do not wait for the program.
      if (group.files.some((file) => !file.startsWith('src/'))) await program
      const result = await runGroup(group)
      if (result.passed) process.stdout.write(result.printed)
      results.push(result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

const nothing: Outcome = { tests: 0, failed: 0, skips: {} }

function runGroup({ step, files }: Group): Promise<GroupResult> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../run.js', import.meta.url)), ...files], {
    cwd: root,
    env: { ...process.env, ...step.env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const printed: Buffer[] = []
  let outcome: Outcome | null = null
  child.on('message', (message) => {
    outcome = message as Outcome
  })
  child.stdout?.on('data', (data: Buffer) => printed.push(data))
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      if (signal !== null)
        printed.push(Buffer.from(`\nTests FAILED: ended by ${signal}, after the last above.\n`))
      // One that says nothing of its tests has not run them.
      const passed = code === 0 && outcome !== null
      resolve({ step, outcome: outcome ?? nothing, passed, printed: Buffer.concat(printed).toString() })
    })
  })
}
