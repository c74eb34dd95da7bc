/** Names in the code are standard terms; docs/glossary.md lists them. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const files = globSync('{src,test,bench}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })

/** Words that no name has, and what is written instead. */
const retiredWords: Readonly<Record<string, string>> = {
  road: 'access path',
  sifting: 'filtered index scan',
  steering: 'planner control',
  rationed: 'planning budget',
  ledger: 'metadata store',
  forgive: 'clear rejection',
  bury: 'add tombstone',
  unbury: 'drop tombstone',
  parked: 'quarantined',
  standing: 'account status',
  standings: 'account status',
  newcomer: 'unknown account',
  mercy: 'grace period',
  slowdown: 'tarpit',
  departures: 'write coalescing',
  outbox: 'in-flight limit',
  crumbs: 'partial chunks',
  foundation: 'project context',
  gatherer: 'buffer',
  tallies: 'counters',
  terrain: 'schema context',
  world: 'data set, network or context',
  beliefs: 'estimates',
  scene: 'situation',
  scenes: 'situations',
  anybody: 'anonymous caller',
  whoever: 'the caller, the process',
}

/** Types that are called as they are elsewhere. */
const retiredTypes = [
  'World',
  'Cell',
  'Fate',
  'Lead',
  'Terms',
  'Patience',
  'Visit',
  'Course',
  'Turn',
  'Turns',
  'LongTurn',
  'Place',
  'Spot',
  'Aspect',
  'Bare',
  'Theme',
  'Told',
  'Hints',
  'Fences',
  'Readings',
]

/** Names that a protocol gives. */
const foreignNames = ['openWorldHint']

test('no name in the code has a retired word', () => {
  const found = files.flatMap((file) => {
    const own = wordsOf(basename(file, '.ts')).filter((word) => Object.hasOwn(retiredWords, word))
    const text = readFileSync(join(root, file), 'utf8')
    const declared = text.matchAll(
      /\b(?:const|let|function\*?|class|interface|type|readonly|get)\s+(#?\w+)|^\s+#?(\w+)\??(?:\(|:\s)/gm,
    )
    const named = Array.from(declared, ([, one, other]) => one ?? other ?? '').filter(
      (name) =>
        !foreignNames.includes(name) && wordsOf(name).some((word) => Object.hasOwn(retiredWords, word)),
    )
    return [...own, ...named].map((name) => `${file}: ${name}`)
  })
  assert.deepEqual(found.filter((name) => !name.startsWith('test/names.test.ts')).toSorted(), [])
})

test('no type in src/ has a retired name', () => {
  const found = files
    .filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      Array.from(
        readFileSync(join(root, file), 'utf8').matchAll(/\b(?:interface|type|class)\s+(\w+)/g),
        ([, name = '']) => name,
      )
        .filter((name) => retiredTypes.includes(name))
        .map((name) => `${file}: ${name}`),
    )
  assert.deepEqual(found, [])
})

/** `readRepoStatus` → `read`, `repo`, `status`; `repo-status` the same. */
function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())
}
