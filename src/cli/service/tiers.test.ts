import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store/store.ts'
import { defaultTiers, publicTier, type Tier } from '../../server/admission/tiers.ts'
import { CommandError } from '../command.ts'
import { loadTiers } from './tiers.ts'

const inFolder = temporaryFolder()
const defaults = new Map(defaultTiers.map((tier) => [tier.name, tier]))
const whole = { pointsPerMinute: 5_000, pointsPerQuery: 300, pageSize: 200, seconds: 10, concurrent: 6 }

test('without a file there are the tiers that come with the program', async () => {
  assert.deepEqual(await loadTiers({ tiers: null }), defaults)
  assert.ok(defaults.has(publicTier))
})

test('a tier that comes with the program takes what differs, the others stay', async () => {
  const tiers = await loaded({ public: { pointsPerMinute: 2_400, pageSize: 50 }, research: {} })
  const expected = { ...(defaults.get(publicTier) as Tier), pointsPerMinute: 2_400, pageSize: 50 }
  assert.deepEqual(tiers, new Map([...defaults, [publicTier, expected]]))
})

/** What a new tier takes over when its file does not say. */
const filesOfPublic = { fileRows: 100_000, fileSeconds: 120 }

test('a new tier has all five limits, and may have those of files', async () => {
  const tiers = await loaded({ 'Press-2': { ...whole, pointsPerMinute: null } })
  assert.deepEqual(
    tiers,
    new Map([
      ...defaults,
      ['Press-2', { name: 'Press-2', ...whole, ...filesOfPublic, pointsPerMinute: null }],
    ]),
  )
})

test('every limit may be as small and as large as docs/keys.md says, and no further; its example holds', async () => {
  const page = readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| `(\w+)` \| ([\d,]+) \| ([\d,]*\d)\b.* \|$/gm)
  const number = (text: string): number => Number(text.replaceAll(',', ''))
  const ranges = Array.from(
    rows,
    ([, name = '', from = '', to = '']) => [name, number(from), number(to)] as const,
  )
  assert.deepEqual(
    ranges.map(([name]) => name),
    [...Object.keys(whole), ...Object.keys(filesOfPublic)],
  )
  const [least, most] = ([1, 2] as const).map((end) =>
    Object.fromEntries(ranges.map((range) => [range[0], range[end]])),
  )
  const tiers = await loaded({ least, most })
  assert.deepEqual(tiers.get('least'), { name: 'least', ...least })
  assert.deepEqual(tiers.get('most'), { name: 'most', ...most })
  for (const [name, from, to] of ranges)
    for (const value of [from - 1, to + 1, 20.5, -1, '20', true, [20], {}])
      assert.deepEqual(await problems({ t: { ...whole, [name]: value } }), [
        `"t".${name} must be a whole number from ${from} to ${to}${name === 'pointsPerMinute' ? ', or null for any number' : ''}, not ${JSON.stringify(value)}.`,
      ])
  assert.match(String(await problems({ t: { ...whole, pageSize: null } })), /not null\.$/)
  const [, example = ''] = /^```json\n(\{\n {2}"public"[^]*?)^```$/m.exec(page) ?? []
  assert.equal((await loadTiers({ tiers: file(example) })).get('press')?.pageSize, 500)
})

test('all that is wrong is said at once, with where it is and what was meant', async () => {
  const given = {
    public: { pointsPerMinut: 5, pageSize: 1_001, colour: 'red' },
    reserch: { pointsPerMinute: 20_000 },
    press: { seconds: 0 },
    unlimited: null,
    'two words': whole,
    '': whole,
  }
  assert.deepEqual(await problems(given), [
    '"public" has no member "pointsPerMinut"; did you mean pointsPerMinute?',
    '"public".pageSize must be a whole number from 20 to 1000, not 1001.',
    '"public" has no member "colour"; a tier has pointsPerMinute, pointsPerQuery, pageSize, seconds, concurrent, fileRows, fileSeconds.',
    '"reserch" lacks pointsPerQuery, pageSize, seconds, concurrent: a new tier has all five; or did you mean research?',
    '"press".seconds must be a whole number from 1 to 3600, not 0.',
    '"press" lacks pointsPerMinute, pointsPerQuery, pageSize, concurrent: a tier other than public, research, unlimited has all five.',
    '"unlimited" must be an object with the limits of the tier, not null.',
    '"two words" is no name of a tier: it has up to 32 letters, digits and hyphens, and begins with a letter.',
    '"" is no name of a tier: it has up to 32 letters, digits and hyphens, and begins with a letter.',
  ])
})

test('a tier in which a query could never be paid for is refused', async () => {
  const given = { public: { pointsPerMinute: 249 }, t: { ...whole, pointsPerMinute: 300 } }
  assert.deepEqual(await problems(given), [
    '"public".pointsPerQuery is 250, more than the 249 that it has in a minute.',
  ])
})

test('names that every object has are names like others', async () => {
  const text = `{"__proto__": {"pageSize": 20}, "constructor": ${JSON.stringify(whole)}, "public": {"__proto__": 1, "toString": 2}}`
  const found = await failure(file(text))
  assert.match(found, /"__proto__" is no name of a tier/)
  assert.match(found, /"public" has no member "__proto__"; a tier has/)
  assert.match(found, /"public" has no member "toString"; a tier has/)
  const tiers = await loaded({ constructor: whole })
  assert.equal(tiers.get('constructor')?.pageSize, 200)
  assert.equal(tiers.size, defaults.size + 1)
})

test('a file that is not there, not JSON or no object is named as what it is', async () => {
  const missing = inFolder('missing.json')
  assert.equal(await failure(missing), `The tiers in ${missing} cannot be read: there is no such file.`)
  const folder = inFolder('.')
  assert.equal(await failure(folder), `The tiers in ${folder} cannot be read: it is a directory.`)
  assert.match(await failure(file('{"public": }')), /^\S+\.json is not JSON: [^\n]+\.$/)
  assert.match(await failure(file('')), /^\S+\.json is not JSON: [^\n]+\.$/)
  for (const text of ['[]', 'null', '3', '"public"'])
    assert.match(
      await failure(file(text)),
      /\.json must have one object with a member for each tier, such as/,
    )
})

test('a byte order mark at the beginning does not matter', async () => {
  assert.deepEqual(await loadTiers({ tiers: file('\uFEFF{}') }), defaults)
})

let files = 0

function file(text: string): string {
  const path = inFolder(`${(files += 1)}.json`)
  writeFileSync(path, text)
  return path
}

function loaded(tiers: object) {
  return loadTiers({ tiers: file(JSON.stringify(tiers)) })
}

async function failure(path: string): Promise<string> {
  const error = await loadTiers({ tiers: path }).then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof CommandError)
  return error.message
}

/** Each without the file, which it begins with. */
async function problems(tiers: object): Promise<string[]> {
  const path = file(JSON.stringify(tiers))
  return (await failure(path)).split('\n').map((problem) => {
    assert.ok(problem.startsWith(`${path}: `))
    return problem.slice(path.length + 2)
  })
}
