/**
 * Programs that are killed at random points. A point is an amount of computing by the program, which does not change
 * when the machine is busy or the program is held up.
 */
import assert from 'node:assert/strict'
import type { Dice } from '../network/fake-server.ts'
import { type Program, startProgram } from '../network/service.ts'
import { hasEnded, workOf } from './processes.ts'
import { until } from './until.ts'

/** Hundredths of a second of computing up to the first kill, on average; a program takes about thirty to start. */
const untilFirst = 36

/** Sends the signal after that much computing. False if the program was done before, which must have gone well. */
export async function killAfter(
  program: Program,
  hundredths: number,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<boolean> {
  await until(() => hasEnded(program.pid) || workOf(program.pid) >= hundredths)
  if (hasEnded(program.pid)) {
    assert.equal(await program.ended, 0, program.stderr())
    return false
  }
  // It may have been done just before.
  return (await program.kill(signal)) !== 0
}

/**
 * Starts a command and kills it, each time later than before, until it is done; resolves to the number of kills.
 * `look` is called after each kill, and ends this by true.
 */
export async function killUntilDone(
  args: readonly string[],
  dice: Dice,
  {
    signals = ['SIGKILL'],
    look = async () => false,
  }: {
    readonly signals?: readonly NodeJS.Signals[]
    readonly look?: () => Promise<boolean>
  } = {},
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    await using program = startProgram(args)
    const after = untilFirst * (0.5 + dice.draw()) * (1 + 2 * kills)
    if (!(await killAfter(program, after, dice.pick(signals)))) return kills
    if (await look()) return kills + 1
  }
}
