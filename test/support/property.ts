/**
 * Property tests: one random corpus is loaded, then asked many random questions.
 * PROPERTY_SEED replays a failure, PROPERTY_RUNS says how many corpora to try.
 */
import { test } from 'node:test'
import fc from 'fast-check'
import { createReference, type Reference } from '../reference/reference.ts'
import { assemble, type Corpus, recipes } from './corpus.ts'
import { collections, libraryLexicons, libraryReferences } from './lexicons.ts'
import { openTestService, type TestService } from './service.ts'

export interface Loaded extends AsyncDisposable {
  readonly reference: Reference
  readonly service: TestService
}

const replayed = process.env.PROPERTY_SEED
const firstSeed = replayed === undefined ? Date.now() % 2 ** 31 : Number(replayed)
const corpora = Number(process.env.PROPERTY_RUNS ?? 1)

/** A test that a sentence holds for random questions; a failure says how to replay it. */
export function property<T>(
  sentence: string,
  questions: (loaded: Loaded) => fc.Arbitrary<T>,
  holds: (loaded: Loaded, question: T) => Promise<void>,
  numRuns = 40,
): void {
  holdsInAll(sentence, false, questions, holds, numRuns)
  holdsInAll(`while accounts are hidden, ${sentence}`, true, questions, holds, numRuns)
}

function holdsInAll<T>(
  sentence: string,
  hiding: boolean,
  questions: (loaded: Loaded) => fc.Arbitrary<T>,
  holds: (loaded: Loaded, question: T) => Promise<void>,
  numRuns: number,
): void {
  test(sentence, async () => {
    for (let seed = firstSeed; seed < firstSeed + corpora; seed++) {
      // Each sentence takes another road into the store, so that one run tries several.
      await using loaded = await loadCorpus(seed, { loading: seed + sentence.length, hiding })
      const check = fc.asyncProperty(questions(loaded), (question) => holds(loaded, question))
      try {
        await fc.assert(check, { seed, numRuns, includeErrorInReport: true })
      } catch (error) {
        if (error instanceof Error) error.message = `Replay with PROPERTY_SEED=${seed}.\n${error.message}`
        throw error
      }
    }
  })
}

/**
 * The library with random records, in the program and in the reference evaluator. `hiding`: some accounts
 * are hidden in the program, and the evaluator never knew of them.
 */
export async function loadCorpus(
  seed: number,
  { loading = seed, hiding = false }: { readonly loading?: number; readonly hiding?: boolean } = {},
): Promise<Loaded> {
  const { lexicons, references, records } = await drawCorpus(seed)
  const dids = [...new Set(records.map(({ did }) => did))].toSorted()
  const hidden = hiding ? dids.filter((_, index) => (index + seed) % 3 === 0) : []
  const service = await openTestService({ lexicons, references, records, loading, hidden })
  const shown = records.filter(({ did }) => !hidden.includes(did))
  return {
    service,
    reference: createReference(lexicons, references, shown),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const sizes = {
  [collections.publisher]: 10,
  [collections.person]: 12,
  [collections.book]: 24,
  [collections.review]: 16,
}
const drawn = new Map<number, Promise<Corpus>>()

/** Pure data, drawn once for all tests of a run. */
function drawCorpus(seed: number): Promise<Corpus> {
  const known = drawn.get(seed)
  if (known !== undefined) return known
  const [recipe = []] = fc.sample(recipes(libraryLexicons, libraryReferences, sizes), { seed, numRuns: 1 })
  const corpus = assemble(libraryLexicons, libraryReferences, recipe)
  drawn.set(seed, corpus)
  return corpus
}

/** Any of the library's collections. */
export const anyCollection: fc.Arbitrary<string> = fc.constantFrom(...Object.values(collections))
