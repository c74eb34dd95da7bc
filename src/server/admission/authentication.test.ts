import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/support/random/values/any-text.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'
import { openNotes, stoppedClock } from '../../../test/support/records/notes.ts'
import { keyOf } from '../../../test/support/service/callers.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { emptyDatabases } from '../../../test/support/store/store.ts'
import type { ApiKey } from '../../database/metadata/metadata-store.ts'
import { type ErrorCode, errorCodes, ServiceError } from '../../errors.ts'
import { createKey, hashKey } from '../../util/api-key.ts'
import { assertNoKeyInUrl, createAuthentication } from './authentication.ts'
import { type Caller, defaultTiers } from './tiers.ts'
import { createMemoryLimiter } from '../../../test/support/server/memory-limiter.ts'
import { findKey as findStored } from '../../database/metadata/keys.ts'

const emptyUrl = emptyDatabases()
const tiers = new Map(defaultTiers.map((tier) => [tier.name, tier]))
const here = '203.0.113.7'
const there = '2001:db8:1:2::/64'
const second = 1_000_000n

test('a caller without a key is known by the address, at once', () => {
  const { authenticate } = without()
  for (const none of [undefined, [], '', ' \n', ['', ' ']])
    assert.deepEqual(authenticate(none, here), {
      id: 'address:203.0.113.7',
      tier: tiers.get('public'),
      keyName: null,
    })
  assert.equal((authenticate(undefined, there) as Caller).id, 'address:2001:db8:1:2::/64')
})

onOneDatabase('a key gives the same id, name and tier from every address', async (engine) => {
  await using opened = await open(engine)
  const key = await opened.add('k1', 'research')
  const caller = { id: 'key:k1', tier: tiers.get('research'), keyName: 'name of k1' }
  assert.deepEqual(await opened.authenticate(key, here), caller)
  assert.deepEqual(await opened.authenticate([key], there), caller)
  for (const joined of [`${key}, `, ` , ${key}`])
    assert.deepEqual(await opened.authenticate(joined, there), caller)
  for (const spaced of [` ${key}`, `${key}\n`, `\t${key} \r\n`])
    assert.deepEqual(await opened.authenticate(spaced, here), caller)
})

onOneDatabase('a key that does not hold is refused with the reason, and never repeated', async (engine) => {
  await using opened = await open(engine)
  const key = await opened.add('k1', 'research')
  const [revoked, ended, unknown] = [
    await opened.add('k2', 'research'),
    await opened.add('k3', 'research'),
    createKey(),
  ]
  const expired = createKey()
  const validUntil = opened.clock.now() + second
  await opened.metadata.addKey({ id: 'k5', name: 'k5', tier: 'research', validUntil }, hashKey(expired))
  await opened.metadata.revokeKey('k2')
  await opened.metadata.replaceKey('k3', { id: 'k4', hash: 'h' }, opened.clock.now() + second)
  assert.equal((await opened.authenticate(ended, here)).id, 'key:k3')
  assert.equal((await opened.authenticate(expired, here)).id, 'key:k5')
  opened.clock.advance(second)
  const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  const cases: readonly (readonly [header: string | string[], reason: RegExp])[] = [
    [unknown, /^The API key is unknown here\. Ask the operator/],
    [revoked, /^The API key was revoked at 2026-02-02T02:40:00\.000Z\. Ask the operator/],
    [ended, /^The API key has ended at 2026-02-02T02:40:01\.000Z, because it was replaced\. Use the one/],
    [expired, /^The API key expired at 2026-02-02T02:40:01\.000Z\. Ask the operator/],
    [key.slice(0, -1), /^The header X-API-Key is no key of this service: one has 37 characters/],
    [mistyped, /is no key of this service/],
    [`Bearer ${key}`, /is no key of this service/],
    ['undefined', /is no key of this service/],
    [`${key}, ${key}`, /^There is more than one API key\. Send one header/],
    [[key, key], /^There is more than one API key/],
  ]
  for (const [index, [header, reason]] of cases.entries()) {
    const error = await refusal(opened.authenticate(header, `198.51.100.${index}`), 'UNAUTHENTICATED')
    assert.match(error.message, reason)
    assert.doesNotMatch(JSON.stringify([error.message, error.details]), /lgk_[^ ]/)
  }
})

test('any text sent as a key is answered and never repeated', async () => {
  const { authenticate } = without()
  const texts = fc.oneof(fc.string(), fc.string({ unit: anyCodePoint, minLength: 8 }))
  const headers = fc.oneof(texts, fc.array(texts, { minLength: 1, maxLength: 3 }))
  const asked = fc.asyncProperty(headers, fc.nat(1_000_000), async (header, address) => {
    const isNone = [header].flat().every((text) => text.split(',').every((one) => one.trim() === ''))
    const answer = authenticate(header, `address ${address}`)
    if (isNone) return assert.equal((answer as Caller).keyName, null)
    const { code, message } = await refusal(answer)
    assert.ok(code === 'UNAUTHENTICATED' || code === 'RATE_LIMITED')
    for (const text of [header].flat()) assert.ok(text.length < 8 || !message.includes(text))
  })
  await fc.assert(asked)
})

onOneDatabase(
  'a key that is revoked no longer holds at once, or after what it was said to be kept',
  async (engine) => {
    for (const cacheSeconds of [0, 5]) {
      await using opened = await open(engine, cacheSeconds)
      const key = await opened.add('k1', 'research')
      await opened.authenticate(key, here)
      await opened.metadata.revokeKey('k1')
      if (cacheSeconds > 0) {
        opened.clock.advance(5n * second - 1n)
        assert.equal((await opened.authenticate(key, here)).id, 'key:k1')
        opened.clock.advance(1n)
      }
      await refusal(opened.authenticate(key, here), 'UNAUTHENTICATED')
    }
  },
)

test('only keys that were found are kept, each is looked up once in a while, and it ends in time', async () => {
  const clock = stoppedClock()
  const key = createKey()
  let found: ApiKey | null = null
  let lookUps = 0
  const findKey = async (): Promise<ApiKey | null> => {
    lookUps += 1
    return found
  }
  const { authenticate } = without({ findKey, now: clock.now, cacheSeconds: 5 })
  await refusal(authenticate(key, here), 'UNAUTHENTICATED')
  found = keyOf('k1', { expiresAt: clock.now() + 3n * second })
  await authenticate(key, here)
  clock.advance(2n * second)
  await Promise.all([authenticate(key, here), authenticate(key, there)])
  assert.equal(lookUps, 2)
  // What is kept says when it ends.
  clock.advance(second)
  await refusal(authenticate(key, here), 'UNAUTHENTICATED')
  assert.equal(lookUps, 2)
  // A clock that was set back would otherwise keep it for long.
  clock.advance(-3_600n * second)
  await authenticate(key, here)
  assert.equal(lookUps, 3)
})

onOneDatabase(
  'a key of a tier that is gone has the limits of everybody, and the operator is told once',
  async (engine) => {
    await using opened = await open(engine)
    const [one, other, third] = [
      await opened.add('k1', 'gold'),
      await opened.add('k2', 'gold'),
      await opened.add('k3', 'constructor'),
    ]
    for (const key of [one, other, one])
      assert.deepEqual((await opened.authenticate(key, here)).tier, tiers.get('public'))
    assert.equal((await opened.authenticate(other, here)).id, 'key:k2')
    await opened.authenticate(third, here)
    assert.equal(opened.notices.length, 2)
    assert.match(String(opened.notices[0]), /^There are keys of the tier "gold", which does not exist;/)
  },
)

onOneDatabase('a caller that tries keys is made to wait, others and known keys are not', async (engine) => {
  await using opened = await open(engine)
  const [used, unused] = [await opened.add('k1', 'research'), await opened.add('k2', 'research')]
  await opened.authenticate(used, here)
  const codes: ErrorCode[] = []
  for (let tried = 0; tried < 30; tried++)
    codes.push((await refusal(opened.authenticate(createKey(), here))).code)
  assert.equal(codes[0], 'UNAUTHENTICATED')
  assert.equal(codes.at(-1), 'RATE_LIMITED')
  assert.deepEqual(codes.toSorted().toReversed(), codes)

  const { message, details } = await refusal(opened.authenticate(unused, here), 'RATE_LIMITED')
  assert.match(
    message,
    /^Too many API keys that do not hold came from your address\. Send the next one in \d+ s, or/,
  )
  assert.ok(Number.isInteger(details.retryAfter) && Number(details.retryAfter) > 0)
  // A key that holds is not told from others.
  for (const header of [createKey(), 'nonsense'])
    await refusal(opened.authenticate(header, here), 'RATE_LIMITED')

  assert.equal((await opened.authenticate(used, here)).id, 'key:k1')
  assert.equal((opened.authenticate(undefined, here) as Caller).id, `address:${here}`)
  assert.equal((await opened.authenticate(unused, there)).id, 'key:k2')

  // Having held once is no leave to try it for ever.
  await opened.metadata.revokeKey('k1')
  await refusal(opened.authenticate(used, here), 'RATE_LIMITED')
  await refusal(opened.authenticate(used, there), 'UNAUTHENTICATED')
})

test('while an address has to wait nothing is looked up for it', async () => {
  let lookUps = 0
  const findKey = async (): Promise<null> => {
    lookUps += 1
    return null
  }
  const { authenticate } = without({ findKey })
  for (let tried = 0; tried < 100; tried++) await refusal(authenticate(createKey(), here))
  assert.ok(lookUps < 30, String(lookUps))
  // What cannot be a key never is.
  const before = lookUps
  await refusal(authenticate('nonsense', there), 'UNAUTHENTICATED')
  assert.equal(lookUps, before)
})

test('a database that cannot be reached is said to be that, and counts for nobody', async () => {
  const gone = new ServiceError('UNAVAILABLE', 'The database cannot be reached.')
  const { authenticate } = without({ findKey: () => Promise.reject(gone), cacheSeconds: 5 })
  for (let tried = 0; tried < 40; tried++)
    await assert.rejects(async () => authenticate(createKey(), here), gone)
})

test('docs/keys.md says what is answered', async () => {
  const clock = stoppedClock()
  const found: (ApiKey | null)[] = [
    null,
    keyOf('k', { revokedAt: 1n }),
    keyOf('k', { validUntil: 1n }),
    keyOf('k', { expiresAt: 1n }),
  ]
  const findKey = async (): Promise<ApiKey | null> => found.shift() ?? null
  const { authenticate } = without({ findKey, now: clock.now })
  const said: ServiceError[] = []
  for (const header of [
    'a, b',
    'a',
    createKey(),
    createKey(),
    createKey(),
    createKey(),
    ...Array(20).fill(createKey()),
  ])
    said.push(await refusal(authenticate(header, here)))
  try {
    assertNoKeyInUrl('/?key=')
  } catch (error) {
    said.push(error as ServiceError)
  }
  const rows = readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8').matchAll(
    /^\| (\d{3}) \| `([A-Z_]+)` \| ([^|…]+?)(?: …[^|]*)? \| [^|]+ \|$/gm,
  )
  const page = Array.from(rows, ([, status, code, begin = '']) => ({ status: Number(status), code, begin }))
  const told = ({ code, message }: ServiceError) =>
    page.findIndex((row) => row.code === code && message.startsWith(row.begin))
  assert.deepEqual([...new Set(said.map(told))].toSorted(), [...page.keys()])
  assert.equal(page.length, 8)
  for (const { status, code } of page) assert.equal(errorCodes[code as ErrorCode].status, status)
})

interface Given {
  readonly findKey?: (hash: string) => Promise<ApiKey | null>
  readonly now?: () => bigint
  readonly cacheSeconds?: number
}

/** Over no database. */
function without({ findKey = async () => null, now = stoppedClock().now, cacheSeconds = 0 }: Given = {}) {
  const notices: string[] = []
  const authenticate = createAuthentication({
    findKey,
    tiers,
    limiter: createMemoryLimiter(),
    now,
    cacheSeconds,
    onNotice: (text) => notices.push(text),
  })
  return { authenticate, notices }
}

async function open(engine: Engine, cacheSeconds = 0) {
  const clock = stoppedClock()
  const store = await openNotes(await emptyUrl(engine), clock.now)
  const { read, write } = store.database
  const findKey = (hash: string): Promise<ApiKey | null> => read.readSteps(() => findStored(hash))
  return {
    ...without({ findKey, now: clock.now, cacheSeconds }),
    clock,
    metadata: write.metadata,
    /** Makes a key. */
    async add(id: string, tier: string): Promise<string> {
      const key = createKey()
      await write.metadata.addKey({ id, name: `name of ${id}`, tier }, hashKey(key))
      return key
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

async function refusal(attempt: Caller | Promise<Caller>, code?: ErrorCode): Promise<ServiceError> {
  const error = await Promise.resolve(attempt).then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ServiceError, String(error))
  if (code !== undefined) assert.equal(error.code, code)
  return error
}
