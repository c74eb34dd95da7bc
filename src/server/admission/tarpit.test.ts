import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { Tarpit } from './tarpit.ts'

test('after twenty refusals in a minute a caller’s connection is not read for a while, and no other’s', async () => {
  const tarpit = new Tarpit()
  const said: string[] = []
  const socketOf = (caller: string) => ({
    pause: () => said.push(`pause ${caller}`) as never,
    resume: () => said.push(`resume ${caller}`) as never,
  })
  const refuse = (code: 'RATE_LIMITED' | 'UNAUTHENTICATED' | 'BAD_REQUEST', caller: string): void =>
    void tarpit.before(code, caller, socketOf(caller))
  for (let refusal = 0; refusal < 10; refusal += 1) {
    refuse('RATE_LIMITED', 'a')
    refuse('UNAUTHENTICATED', 'a')
    for (const caller of ['a', 'b']) refuse('BAD_REQUEST', caller)
  }
  refuse('RATE_LIMITED', 'b')
  assert.equal(said.join(), '')
  refuse('UNAUTHENTICATED', 'a')
  assert.equal(said.join(), 'pause a')
  await until(() => said.includes('resume a'))
})
