// Runs the test files in one process, which is ten times faster than a process for each; all of them in groups, several
// at the same time.
// Arguments are parts of paths: `npm test -- src/ingest` runs the tests under that folder. `--unit` runs the unit tests.
// Plain JavaScript that an old Node parses, so that it can say what it needs.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `The tests need Node 24 or newer; this is ${process.version}. Run them as \`npm test\` after \`npm ci\`, which installs one, unless scripts are ignored.`,
  )
  process.exit(1)
}

const { spawn } = await import('node:child_process')
const { globSync, mkdtempSync, readFileSync, rmSync } = await import('node:fs')
const { enableCompileCache } = await import('node:module')
const { availableParallelism, tmpdir } = await import('node:os')
const { dirname, join } = await import('node:path')
const { fileURLToPath, pathToFileURL } = await import('node:url')
const { run } = await import('node:test')
const { spec: SpecReporter } = await import('node:test/reporters')

const root = fileURLToPath(new URL('..', import.meta.url))
const isUnit = process.argv[2] === '--unit'
const isLong = process.argv[2] === '--long'
if (isUnit) process.env.TEST_DATABASES = 'sqlite'
const parts = isUnit ? ['.test.ts'] : isLong ? ['.long.test.ts'] : process.argv.slice(2)
const all = ['src/**/*.test.ts', 'test/**/*.test.ts', 'demo/*.test.ts'].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules'] }),
)
const { unitFiles } = await import('./unit-files.js')
/** Tests that take minutes or install packages have a command of their own. */
const isOfLong = (file) => file.endsWith('.long.test.ts')
const files = (isUnit ? unitFiles(root, all) : all)
  .filter((file) => parts.some((part) => file.includes(part)) || (parts.length === 0 && !isOfLong(file)))
  .toSorted()
if (files.length === 0) {
  console.error(`No test file has ${parts.join(' or ')} in its path.`)
  process.exit(1)
}

if (files.some((file) => readFileSync(`${root}${file}`, 'utf8').includes("/network.ts'"))) {
  const { installServers } = await import('./network/install.ts')
  try {
    installServers()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}

// Hundreds of threads and processes are started that find there what others have compiled, as those of the program do.
const cache = enableCompileCache().directory
if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(cache)

// Tests that start servers by the dozen need no worker or thread for each core; those about them say how many.
process.env.LEXIGRAPH_WORKERS ??= '1'
process.env.LEXIGRAPH_THREADS ??= '1'

/** Groups at the same time; more than there are processors, since those that start servers, and kill them, also wait. */
const atOnce = Math.max(6, availableParallelism())

/** Milliseconds; three times what all tests take. */
const longestGroup = 1_800_000

if (parts.length === 0) {
  // Each takes some tens of seconds of computing, those that take longest first.
  const groups = [
    /^test\/(network|(hiding|ingest|network|purging)-)/,
    /^test\/((backup|copy|crash|restore)\.|postgres)/,
    /^test\/(cli|keys|lexicon-changes|operating|rebuilds|reloading|usage|workers)/,
    /^(src\/explorer|test\/explorer\/[i-z])/,
    /^test\/explorer/,
    /^test\/(properties|reference)/,
    /^test\/(attacks|memory|soak)/,
    /^test\/mcp/,
    /^test\/(agents|bundle|clients|deploy|docs|end-to-end|example|first|package|playground)/,
    /^src\/database\/[n-z]/,
    /^(src\/query|test\/(cases|exports))/,
    /^(src\/database|test\/held-up)/,
    /^src\/(cli|ingest)/,
  ]
  /** The last has what is in no other. */
  const groupOf = (file) => {
    const found = groups.findIndex((pattern) => pattern.test(file))
    return found === -1 ? groups.length : found
  }
  // None is empty: a process without files would run all.
  const waiting = [...groups.keys(), groups.length]
    .map((group) => files.filter((file) => groupOf(file) === group))
    .filter(({ length }) => length > 0)
  if (process.env.TEST_DATABASES !== 'sqlite') {
    const { shareBinaries, versions } = await import('./postgres/binaries.ts')
    // Now, because each process would.
    shareBinaries(versions[0])
  }
  // What is published is tested: it starts with two thirds of the computing, and hundreds are started.
  const { unpackPackage } = await import('../build/unpack.ts')
  const unpacked = mkdtempSync(join(tmpdir(), 'lexigraph-package-'))
  process.env.TEST_PROGRAM = await unpackPackage(unpacked)
  // Whoever is done takes the next group, so that no processor is without work before the end.
  // What failed is printed last, without what passed, so that the end of a log tells it.
  const failed = []
  const work = async () => {
    for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
      const { passed, printed } = await runApart(some)
      if (passed) process.stdout.write(printed)
      else failed.push(printed.replaceAll(/^ *✔.*\n/gm, ''))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  rmSync(unpacked, { recursive: true, force: true })
  process.stdout.write(failed.join('\n'), () => process.exit(failed.length === 0 ? 0 : 1))
}

/** Whether all tests of these files passed, and what was printed, by a process of their own. */
function runApart(some) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...some], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = []
  child.stdout.on('data', (data) => printed.push(data))
  // A process that hangs must not hide what the others found.
  const end = setTimeout(() => child.kill('SIGKILL'), longestGroup)
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(end)
      if (signal !== null)
        printed.push(Buffer.from(`\nTests FAILED: ended by ${signal}, after the last above.\n`))
      resolve({ passed: code === 0, printed: Buffer.concat(printed).toString() })
    })
  })
}

/** The runner says nothing of a file that throws once some of its tests are registered; loading it again does. */
async function filesNotLoaded() {
  let broken = 0
  for (const file of files) {
    try {
      await import(pathToFileURL(`${root}${file}`))
    } catch (error) {
      broken += 1
      console.log(`\n✖ ${file}`, error)
    }
  }
  return broken
}

/** Milliseconds; ten times what the longest test of the suite may take on a busy machine. A soak has its own command. */
const longestTest = 600_000

let summary
// A test that hangs fails by its name, and the others go on.
const events = run({ cwd: root, files, isolation: 'none', timeout: longestTest })
events.on('test:summary', (event) => {
  if (event.file === undefined) summary = event
})
const report = events.compose(new SpecReporter())
report.on('end', async () => {
  const broken = await filesNotLoaded()
  const passed = summary?.success === true && broken === 0
  const { tests = 0, passed: ok = 0, skipped = 0 } = summary?.counts ?? {}
  const seconds = ((summary?.duration_ms ?? 0) / 1000).toFixed(1)
  const failed = tests - ok - skipped
  const outcome = passed ? `All ${ok} tests passed` : `${failed} of ${tests} tests FAILED`
  if (broken > 0)
    console.log(`\n${broken} test files did not load to their end, and tests of theirs never ran.`)
  console.log(
    `\n${outcome}${skipped > 0 ? `, ${skipped} skipped` : ''} (${files.length} files, ${seconds} s).`,
  )
  // A handle that a test left open must not keep the process; a failure must not look like success.
  process.exit(passed ? 0 : 1)
})
report.pipe(process.stdout)
