/**
 * The records of the soak: those of accounts that nobody touches, whose answers never change, and the versions that
 * moving accounts publish. Both are closed: no reference leads from one to the other.
 */
import fc from 'fast-check'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { newsLexicons } from '../golden/corpora.ts'
import { createReference, type Reference } from '../reference/reference.ts'
import type { Json, References } from '../reference/shapes.ts'
import { parseInstant } from '../reference/values.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import { didOf } from '../network/follow.ts'
import { assemble, type Recipe, recipes } from '../support/random/corpus.ts'
import { collections as library, libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'

/** Those that come with the package, which attacks are written for, and those of the property tests. */
export const lexicons: readonly Json[] = [...newsLexicons.documents, ...libraryLexicons]
export const references: References = { ...newsLexicons.references, ...libraryReferences }
export const libraryCollections: readonly string[] = Object.values(library)
export const newsCollections: readonly string[] = newsLexicons.documents.map(({ id }) => id)

/** The demo corpus and a drawn library. */
export async function drawStill(seed: number): Promise<Reference> {
  const demo = [...buildDemoCorpus()].map(({ uri, cid, indexedAt, value }): PlainRecord => {
    const at = parseInstant(indexedAt)
    return { ...partsOf(uri), uri, cid, indexedAt: at, changedAt: at, value }
  })
  const drawn = await assemble(libraryLexicons, libraryReferences, drawRecipes(seed, 100))
  return createReference(lexicons, references, [...demo, ...drawn.records])
}

/** So many sets of versions; those of different sets may be of one record. */
export async function drawVersions(seed: number, sets: number): Promise<readonly PlainRecord[]> {
  const all: PlainRecord[] = []
  for (let set = 0; set < sets; set += 1) {
    const drawn = drawRecipes(seed + 1 + set, firstMoving + (set % 3 === 2 ? 10 : 0))
    all.push(...(await assemble(libraryLexicons, libraryReferences, drawn)).records)
  }
  return all
}

const firstMoving = 200

/** Accounts have numbers from `first` on, and no addresses that anybody could look for on the real network. */
function drawRecipes(seed: number, first: number): readonly Recipe[] {
  const sizes = { [library.publisher]: 10, [library.person]: 12, [library.book]: 24, [library.review]: 16 }
  const [drawn = []] = fc.sample(recipes(libraryLexicons, libraryReferences, sizes), { seed, numRuns: 1 })
  const numbers = new Map(
    [...new Set(drawn.map(({ did }) => did))].toSorted().map((did, at) => [did, first + at]),
  )
  return drawn.map((one) => ({ ...one, did: didOf(numbers.get(one.did) ?? first) }))
}

export function partsOf(uri: string): Pick<PlainRecord, 'did' | 'collection' | 'rkey'> {
  const [, , did = '', collection = '', rkey = ''] = uri.split('/')
  return { did, collection, rkey }
}

/** Lines of an import: the demo corpus as it is, of accounts of their own, so many times. */
export function* crowdLines(rounds: number): Generator<string> {
  for (let round = 0; round < rounds; round += 1)
    for (const { uri, value } of buildDemoCorpus()) {
      const text = JSON.stringify({ uri, value })
      yield `${text.replaceAll(/did:(?:plc|web):(?:lexigraphdemo\w+|analysis\.lexigraph\.example)/g, didOf(1_000 + round))}\n`
    }
}
