import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import { cidForRecord, signCommit, type UnsignedCommit, verifyCommitSig } from '@atproto/repo'
import fc from 'fast-check'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { isSignedBy } from './repo-blocks.ts'

const curves = {
  k256: {
    keypair: Secp256k1Keypair,
    order: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  },
  p256: {
    keypair: P256Keypair,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
} as const

for (const [name, { keypair, order }] of Object.entries(curves)) {
  const otherCurve = curves[name === 'k256' ? 'p256' : 'k256'].keypair
  test(`${name}: what holds and what does not is the same as by the official library`, async () => {
    const tampering = fc.oneof(
      fc.constant({ kind: 'none' as const }),
      fc.record({ kind: fc.constant('flip' as const), bit: fc.nat(511) }),
      fc.record({ kind: fc.constant('length' as const), length: fc.nat(80) }),
      fc.constant({ kind: 'high-s' as const }),
      fc.constant({ kind: 'other-key' as const }),
      fc.constant({ kind: 'other-curve' as const }),
      fc.constant({ kind: 'other-rev' as const }),
      fc.record({
        kind: fc.constant('bytes' as const),
        bytes: fc.uint8Array({ minLength: 64, maxLength: 64 }),
      }),
      fc
        .constantFrom(0n, order, order - 1n, order / 2n, order / 2n + 1n)
        .map((s) => ({ kind: 's' as const, s })),
    )
    const check = fc.asyncProperty(fc.stringMatching(/^[a-z2-7]{24}$/), tampering, async (id, how) => {
      const key = await keypair.create()
      const unsigned: UnsignedCommit = {
        did: `did:plc:${id}`,
        version: 3,
        data: await cidForRecord({ id }),
        rev: '3lxyzabcdef2a',
        prev: null,
      }
      const commit = await signCommit(unsigned, key)
      const sig = tamper(commit.sig, how, order)
      const told = { ...commit, sig, ...(how.kind === 'other-rev' && { rev: '3lxyzabcdef2b' }) }
      const other = { 'other-key': keypair, 'other-curve': otherCurve }[how.kind as string]
      const did = ((await other?.create()) ?? key).did()
      assert.equal(isSignedBy(told, did), await officially(told, did))
      assert.equal(
        isSignedBy(told, did),
        how.kind === 'none' || (Buffer.compare(sig, commit.sig) === 0 && how.kind === 'length'),
      )
    })
    await fc.assert(check, { seed, numRuns: rounds(40) })
  })
}

test('a field that the specification does not know is signed too', async () => {
  const key = await Secp256k1Keypair.create()
  const fields = { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', version: 3, extra: ['more'] }
  const sig = await key.sign(encode(fields))
  assert.equal(isSignedBy({ ...fields, sig }, key.did()), true)
  assert.equal(isSignedBy({ ...fields, extra: [], sig }, key.did()), false)
  assert.equal(isSignedBy(fields, key.did()), false)
  assert.equal(isSignedBy({ ...fields, sig: 'text' }, key.did()), false)
})

type Tampering =
  | { readonly kind: 'none' | 'high-s' | 'other-key' | 'other-curve' | 'other-rev' }
  | { readonly kind: 'flip'; readonly bit: number }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 's'; readonly s: bigint }

function tamper(signature: Uint8Array, how: Tampering, order: bigint): Uint8Array {
  const sig = new Uint8Array(signature)
  switch (how.kind) {
    case 'flip':
      sig[how.bit >> 3]! ^= 1 << (how.bit & 7)
      return sig
    case 'length':
      return Uint8Array.from({ length: how.length }, (_, at) => sig[at] ?? 0)
    case 'bytes':
      return how.bytes
    case 's':
      sig.set(bytesOf(how.s), 32)
      return sig
    case 'high-s':
      sig.set(bytesOf(order - BigInt(`0x${Buffer.from(sig.subarray(32)).toString('hex')}`)), 32)
      return sig
    case 'none':
    case 'other-key':
    case 'other-curve':
    case 'other-rev':
      return sig
  }
}

function bytesOf(number: bigint): Uint8Array {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}

/** The library throws where a signature has not the right length. */
async function officially(commit: Parameters<typeof verifyCommitSig>[0], did: string): Promise<boolean> {
  try {
    return await verifyCommitSig(commit, did)
  } catch {
    return false
  }
}

test('the key of an account is parsed once for all of its commits', async (t) => {
  const parse = t.mock.method(crypto, 'createPublicKey')
  syncBuiltinESMExports()
  try {
    const key = await Secp256k1Keypair.create()
    for (const rev of ['3mz5s6rqspk2a', '3mz5s6rqspk2b', '3mz5s6rqspk2c']) {
      const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
      const unsigned: UnsignedCommit = { did, version: 3, rev, prev: null, data: await cidForRecord({}) }
      assert.ok(isSignedBy({ ...(await signCommit(unsigned, key)) }, key.did()))
    }
    assert.equal(parse.mock.callCount(), 1)
  } finally {
    parse.mock.restore()
    syncBuiltinESMExports()
  }
})
