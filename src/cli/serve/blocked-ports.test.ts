import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patience } from '../../../test/support/until.ts'
import { blockedPortProblem } from './blocked-ports.ts'

test('the ports that Node refuses to open are known, and no others', async () => {
  const ports = Array.from({ length: 10_090 }, (_, at) => at + 1)
  const known = ports.filter((port) => blockedPortProblem(port) !== null)
  const others = known
    .flatMap((port) => [port - 1, port + 1])
    .filter((port) => port > 0 && !known.includes(port))
  const isRefused = async (port: number): Promise<boolean> => {
    const signal = AbortSignal.timeout(patience)
    const failure = await fetch(`http://127.0.0.1:${port}`, { signal }).then(
      () => null,
      ({ cause }: Error) => cause,
    )
    return failure instanceof Error && failure.message === 'bad port'
  }
  assert.equal(known.length, 82)
  for (const port of known) assert.equal(await isRefused(port), true, `${port}`)
  for (const port of new Set(others)) assert.equal(await isRefused(port), false, `${port}`)
})

test('any free port, and the usual one, are not blocked', () => {
  assert.deepEqual([0, 4000].map(blockedPortProblem), [null, null])
})
