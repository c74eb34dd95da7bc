/** Refusals of broken documents: each says in our words where the fault is, what is there, and what to write. */
import assert from 'node:assert/strict'
import { readFileSync, globSync } from 'node:fs'
import { test } from 'node:test'
import { schemas } from '@atproto/api'
import fc from 'fast-check'
import { isObject, valueAt } from '../util/is-object.ts'
import { problemsOf } from '../../test/support/lexicons/documents.ts'
import { rounds, seed } from '../../test/support/rounds.ts'

type Path = readonly (string | number)[]

const root = new URL('../../', import.meta.url)
const shipped = globSync(['lexicons/tech/**/*.json', 'test/schemas/*/lexicons/**/*.json'], {
  cwd: root,
}).map((file): unknown => JSON.parse(readFileSync(new URL(file, root), 'utf8')))
/** Those of the network have queries, procedures, subscriptions and permission sets. */
const documents = [...shipped, ...schemas].filter((one) => isObject(one) && 'lexicon' in one)

function pathsIn(value: unknown, path: Path = []): Path[] {
  const isList = Array.isArray(value)
  const members = isList || isObject(value) ? Object.entries(value) : []
  const inside = members.flatMap(([name, inner]) => pathsIn(inner, [...path, isList ? Number(name) : name]))
  return path.length === 0 ? inside : [path, ...inside]
}

const others: readonly unknown[] = [
  null,
  true,
  5,
  1.5,
  -1,
  '',
  'date',
  'recrod',
  [],
  ['x'],
  {},
  { type: 'x' },
]

/** A copy without a value, with another one, or with a misspelt word. */
const broken = fc
  .record({
    document: fc.constantFrom(...documents),
    at: fc.nat(),
    how: fc.constantFrom('delete', 'replace', 'rename', 'respell'),
    other: fc.constantFrom(...others),
  })
  .map(({ document, at, how, other }) => {
    const paths = pathsIn(document)
    const path = paths[at % paths.length]!
    const copy: unknown = structuredClone(document)
    const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>
    const name = path.at(-1)!
    const value = parent[name]
    if (how !== 'respell') delete parent[name]
    if (how === 'replace') parent[name] = other
    if (how === 'rename') parent[`${name}e`] = value
    if (how === 'respell') parent[name] = typeof value === 'string' ? value.slice(1) : other
    return { document: copy as object, path, how }
  })

/** Words of the validating library. */
const jargon =
  /\b(Invalid|Expected|received|discriminator|literal|Must|Required|undefined|NaN|object Object)\b/

/** Every text and number in a value, and its names. */
const wordsIn = (value: unknown): string[] =>
  isObject(value) || Array.isArray(value)
    ? [...Object.keys(value), ...Object.values(value).flatMap(wordsIn), JSON.stringify(value)]
    : [String(value), JSON.stringify(value)]

test('a document that is broken anywhere is refused with the path, the value found and what to write', () => {
  fc.assert(
    fc.property(broken, ({ document }) => {
      for (const { file, path, problem, remedy } of problemsOf([document])) {
        if (/nothing to serve|does not resolve|is built in/.test(problem)) continue
        assert.equal(file, '0.json')
        const text = `${path}: ${problem} ${remedy}`
        assert.doesNotMatch(`${problem} ${remedy}`.replaceAll(/"[^"]*"/g, ''), jargon, text)
        assert.match(remedy, /^[A-Z].*[.?]$/s, text)
        // Names may have dots.
        const places = new Map(pathsIn(document).map((each) => [each.join('.'), valueAt(document, each)]))
        const found = places.get(path)
        const isInside = [...places.keys()].some((place) => path.startsWith(`${place}.`))
        assert.ok(isInside || !path.includes('.'), text)
        const isNamed = (): boolean =>
          wordsIn(path === '' ? document : found).some((word) => problem.includes(word.slice(0, 80)))
        assert.ok(found === undefined ? /missing/.test(problem) : isNamed(), text)
      }
    }),
    { seed, numRuns: rounds(3_000) },
  )
})
