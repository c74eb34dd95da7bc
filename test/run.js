// `npm test` and its siblings. Without arguments: all tests but the long ones, in groups, several at the same time.
// `--unit`: those without servers, processes and measured memory. `--long`: rounds, floods and packages. Other arguments
// are parts of paths: `npm test -- src/ingest` runs the tests under that folder in this process.
// Plain JavaScript that an old Node parses, so that it can say what it needs.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `The tests need Node 24 or newer; this is ${process.version}. Run them as \`npm test\` after \`npm ci\`, which installs one, unless scripts are ignored.`,
  )
  process.exit(1)
}

// Hundreds of threads and processes are started that find there what others have compiled, as those of the program do.
const { enableCompileCache } = await import('node:module')
const { dirname } = await import('node:path')
const cache = enableCompileCache().directory
if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(cache)

// Tests that start servers by the dozen need no worker or thread for each core; those about them say how many.
process.env.LEXIGRAPH_WORKERS ??= '1'
process.env.LEXIGRAPH_THREADS ??= '1'

// node:test follows every promise, so that it can name the test of an error that nothing catches. That is a third of the
// computing of tests that make many promises; run-files.ts names that test by itself. What follows promises is made
// when the module is loaded.
const hooks = (await import('node:async_hooks')).default
const { createHook } = hooks
hooks.createHook = () => ({ enable() {}, disable() {} })
await import('node:test')
hooks.createHook = createHook

/** Databases are laid out as on a cluster, or are on one (test/support/clusters/citus.ts). */
const asOnCluster = { TEST_STAGED: 'cluster', TEST_DATABASES: 'postgres' }

const parts = process.argv.slice(2)
const command = parts[0]?.startsWith('--') ? parts[0] : parts.length === 0 ? '--default' : '--paths'
const { findTestFiles } = await import('./runner/test-files.ts')
const { runFiles } = await import('./runner/run-files.ts')
const { runGroups } = await import('./runner/run-groups.ts')
const { rounds } = await import('./support/rounds.ts')

const { all, unit, short, long, drawing } = findTestFiles()
if (command !== '--paths' && parts.length > 1) end(`${command} takes no paths: write npm test -- PATH.`)
if (command === '--unit') {
  process.env.TEST_DATABASES = 'sqlite'
  await runFiles(unit)
} else if (command === '--paths') {
  const unknown = parts.filter((part) => !all.some((file) => file.includes(part)))
  if (unknown.length > 0) end(`No test file has ${unknown.join(' or ')} in its path.`)
  await runFiles(all.filter((file) => parts.some((part) => file.includes(part))))
} else if (command === '--default') {
  await runGroups([
    {
      what: 'Golden cases, as on a cluster',
      files: short.filter((file) => file.startsWith('test/cases')),
      env: asOnCluster,
    },
    { what: 'Tests', files: short },
  ])
} else if (command === '--long') {
  const onClusters =
    /^(src\/database\/([a-z-]+|stories\/.*|copy\/database-copy)\.test|test\/(cases|one-state|properties|stories-killed))/
  const oldest = /^(src\/database|test\/(cases|peers|properties|postgres\/plans))/
  await runGroups([
    { what: 'Long tests', files: long },
    {
      what: 'Five times as many random rounds, and all forms',
      files: drawing,
      env: { TEST_ROUNDS: String(rounds(5)) },
    },
    {
      what: 'Five times as many random rounds, as on a cluster',
      files: all.filter((file) => onClusters.test(file)),
      env: { ...asOnCluster, TEST_ROUNDS: String(rounds(5)) },
    },
    {
      what: 'The oldest version of PostgreSQL',
      files: short.filter((file) => oldest.test(file)),
      env: { TEST_POSTGRES_VERSION: '15', TEST_DATABASES: 'postgres' },
    },
  ])
} else {
  end(`${command} is unknown: write --unit, --long, parts of paths, or nothing.`)
}

function end(sentence) {
  console.error(sentence)
  process.exit(1)
}
