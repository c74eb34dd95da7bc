/**
 * Property tests: one random corpus is loaded, then asked random questions. Each run draws others; TEST_ROUNDS says how
 * many corpora to try, and `npm run questions` asks many more.
 */
import fc from 'fast-check'
import { createReference, type Reference } from '../../reference/reference.ts'
import { withStories } from '../../reference/words/stories.ts'
import { assemble, type Corpus, recipes } from './corpus.ts'
import { replayable } from './replay.ts'
import { onEveryDatabase } from '../store/databases.ts'
import { rounds, seed as firstSeed } from '../rounds.ts'
import {
  collections,
  libraryLexicons,
  libraryReferences,
  libraryStories as stories,
} from '../records/lexicons.ts'
import { type Engine, postgresUrl } from '../store/postgres.ts'
import {
  openTestService,
  type TestService,
  type TestServiceGiven,
  waysOfLoading,
} from '../service/service.ts'

export interface Loaded extends AsyncDisposable {
  readonly reference: Reference
  readonly service: TestService
  /** Whether records of hidden accounts are in the tables. */
  readonly isHiding: boolean
}

/**
 * A test that a sentence holds for random questions, `few` for each corpus and half as many in `npm test`; a failure
 * says how to replay it.
 */
export function property<T>(
  sentence: string,
  questions: (loaded: Loaded) => fc.Arbitrary<T>,
  holds: (loaded: Loaded, question: T) => Promise<void>,
  few = 20,
): void {
  const numRuns = rounds() > 1 ? few : Math.ceil(few / 2)
  onEveryDatabase(sentence, async (database) => {
    for (let seed = firstSeed; seed < firstSeed + rounds(); seed++) {
      // Sentences differ in how their records are loaded and in whether accounts are hidden.
      const loading = seed + sentence.length
      const hiding = loading % 2 === 0
      // Laying out a database takes PostgreSQL longer than all the questions.
      await using loaded = await (database === 'postgres'
        ? openKept(seed, loading, hiding)
        : loadCorpus(seed, { loading, hiding }))
      const check = fc.asyncProperty(questions(loaded), (question) => holds(loaded, question))
      await replayable(seed, () => fc.assert(check, { seed, numRuns, includeErrorInReport: true }))
    }
  })
}

/** Random questions may cost any amount: more than the program lets anybody spend. */
export const points = 100_000

interface Loading {
  readonly loading?: number
  /** Some accounts are hidden in the program, and the evaluator never knew of them. */
  readonly hiding?: boolean
  readonly database?: Engine
}

/** The library with random records, in the program and in the reference evaluator. */
export async function loadCorpus(
  seed: number,
  { loading = seed, hiding = false, database = 'sqlite' }: Loading = {},
): Promise<Loaded> {
  const corpus = await drawCorpus(seed)
  const { lexicons, references, records } = corpus
  const hidden = hiddenIn(corpus, seed, hiding)
  const service = await openTestService({
    lexicons,
    references,
    stories,
    records,
    loading,
    hidden,
    database,
    points,
  })
  return beside(service, corpus, hidden)
}

const kept = new Map<string, Promise<URL>>()

/** As `loadCorpus`, for who only reads: what was loaded in the same way is there still and is opened again. */
async function openKept(seed: number, loading: number, hiding: boolean): Promise<Loaded> {
  const corpus = await drawCorpus(seed)
  const { lexicons, references, records } = corpus
  const hidden = hiddenIn(corpus, seed, hiding)
  const key = `${seed} ${loading % waysOfLoading} ${hiding}`
  const known = kept.get(key) ?? keep({ lexicons, references, stories, records, loading, hidden })
  kept.set(key, known)
  return beside(
    await openTestService({ lexicons, references, stories, loading, database: await known, points }),
    corpus,
    hidden,
  )
}

async function keep(given: TestServiceGiven): Promise<URL> {
  const database = new URL(await postgresUrl())
  await (await openTestService({ ...given, database }))[Symbol.asyncDispose]()
  return database
}

function hiddenIn({ records }: Corpus, seed: number, hiding: boolean): readonly string[] {
  const dids = [...new Set(records.map(({ did }) => did))].toSorted()
  return hiding ? dids.filter((_, index) => (index + seed) % 3 === 0) : []
}

function beside(service: TestService, corpus: Corpus, hidden: readonly string[]): Loaded {
  const { lexicons, references, records } = corpus
  // What is hidden, and in the tables still, begins stories.
  const shown = withStories(records, stories).filter(({ did }) => !hidden.includes(did))
  return {
    service,
    isHiding: shown.length < records.length,
    reference: createReference(lexicons, references, shown, stories),
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
export function drawCorpus(seed: number): Promise<Corpus> {
  const known = drawn.get(seed)
  if (known !== undefined) return known
  const [recipe = []] = fc.sample(recipes(libraryLexicons, libraryReferences, sizes), { seed, numRuns: 1 })
  const corpus = assemble(libraryLexicons, libraryReferences, recipe)
  drawn.set(seed, corpus)
  return corpus
}

/** Any of the library's collections. */
export const anyCollection: fc.Arbitrary<string> = fc.constantFrom(...Object.values(collections))
