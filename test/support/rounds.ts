/**
 * How much a run draws at random. `npm test` draws little, `npm run test:long` more, both from the same generators.
 * TEST_SEED replays a failure, TEST_ROUNDS multiplies what is drawn; every failure prints its seed.
 */
import { test, type TestContext } from 'node:test'

/** The seed of this run, which TEST_SEED replays. */
export const seed: number = numberIn('TEST_SEED') ?? Date.now() % 2 ** 31

/** How many rounds, kills or questions a run makes, of `few` in `npm test`. */
export function rounds(few = 1): number {
  const times = numberIn('TEST_ROUNDS') ?? 1
  if (times === 0) throw new Error('TEST_ROUNDS=0 draws nothing: write 1 or more.')
  return few * times
}

/**
 * Forms in which a claim is tried, such as engines, numbers of workers or directions: the first `few` of them in
 * `npm test`, all of them where more is drawn.
 */
export function someForms<Form>(all: readonly Form[], few = 1): readonly Form[] {
  return rounds() > 1 ? all : all.slice(0, few)
}

/** A test that runs where more is drawn, beside those of `npm test` whose servers it shares; also one within a test. */
export async function longTest(
  sentence: string,
  options: { readonly skip?: string | false },
  holds: (t: TestContext) => Promise<void>,
  parent: { readonly test: TestContext['test'] } = { test },
): Promise<void> {
  if (rounds() > 1) await parent.test(sentence, options, holds)
}

function numberIn(name: string): number | null {
  const text = process.env[name]
  if (!text) return null
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`${name}=${text} is not a whole number.`)
}
