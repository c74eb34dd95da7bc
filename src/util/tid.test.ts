import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tid } from '../../test/network/follow.ts'
import { firstTidOf, timeOfTid } from './tid.ts'

test('a TID has its time in microseconds, whatever its last ten bits are', () => {
  assert.equal(timeOfTid('2222222222222'), 0n)
  assert.equal(new Date(Number(timeOfTid('3jzfcijpj2z2a') / 1_000n)).toISOString().slice(0, 10), '2023-06-30')
  for (const micros of [1, 1_700_000_000_000_000, 2_100_000_000_000_001]) {
    assert.equal(firstTidOf(BigInt(micros)), tid(micros))
    assert.equal(timeOfTid(tid(micros).slice(0, -2) + 'zz'), BigInt(micros))
  }
})
