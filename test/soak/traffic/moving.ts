/**
 * Records that change while they are asked for. An operation is answered from one moment: whatever is written, what it
 * says of all of them and what it says of a few must fit. And when nothing is written, it is all that was published.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { createReference, type Reference } from '../../reference/reference.ts'
import type { Json } from '../../reference/shapes.ts'
import { parseInstant } from '../../reference/values.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { literal, sortLiteral } from '../../support/service/graphql-text.ts'
import { sorts } from '../../support/random/questions.ts'
import { until } from '../../support/until.ts'
import { wheres } from '../../support/random/where.ts'
import { lexicons, libraryCollections, partsOf, references } from '../corpora.ts'
import { Disappointment, type Honest } from './honest.ts'
import type { Publishers, Version } from './publishers.ts'
import { draw, drawQuestion, questionOf, shapeOf, type Within, within } from './questions.ts'
import type { Tally } from '../tally.ts'
import type { Fixture } from '../fixture.ts'

export class Moving {
  readonly #honest: Honest
  readonly #publishers: Publishers
  readonly #tally: Tally
  readonly #accounts: NonNullable<Within>
  /** What was there when it was last looked at: questions are drawn for it. */
  #latest: Reference = createReference(lexicons, references, [])
  readonly #all: string
  /** By URI, as they were when all was compared. */
  readonly #times = new Map<
    string,
    Pick<Version, 'births' | 'changes'> & Pick<PlainRecord, 'indexedAt' | 'changedAt'>
  >()

  readonly #fixture: Pick<Fixture, 'unsettled'>

  constructor(honest: Honest, publishers: Publishers, fixture: Pick<Fixture, 'unsettled'>, tally: Tally) {
    this.#fixture = fixture
    this.#honest = honest
    this.#publishers = publishers
    this.#tally = tally
    this.#accounts = publishers.accounts
    const list = `(first: 1000, where: ${literal(within(this.#accounts, {}))}, sortBy: [{field: uri}])`
    this.#all = libraryCollections
      .map((collection, index) => {
        const { rootField } = shapeOf(this.#latest, collection)
        return `c${index}: ${rootField}${list} { totalCount nodes { uri cid rev indexedAt changedAt recordJson } }`
      })
      .join('\n')
  }

  /** Asks for all records and a question about them in one operation, while they change. */
  async askBeside(seed: number): Promise<void> {
    const drawn = drawQuestion(this.#latest, this.#collections(), this.#accounts, seed)
    const data = await this.#honest.data('moving', questionOf(drawn, this.#all))
    if (data === null) return
    this.#latest = this.#understand(data)
    try {
      drawn.check(this.#latest, data.q)
    } catch (error) {
      const records = JSON.stringify(this.#latest.records.map(({ uri, cid }) => [uri, cid]))
      this.#tally.problem(
        `One operation contradicts itself: ${(error as Error).message}\nasked: ${drawn.field}\nwith ${JSON.stringify(drawn.variables)}\nof ${records}`,
      )
    }
  }

  /** Asks for the newest of a collection, as who has an older answer. */
  async askAgain(n: number, isQuiet = false): Promise<void> {
    const [collection = ''] = [libraryCollections[n % libraryCollections.length]]
    const where = literal(within(this.#accounts, {}))
    const list = `(first: 20, where: ${where}, sortBy: [{field: changedAt, direction: DESC}])`
    const query = `{ ${shapeOf(this.#latest, collection).rootField}${list} { nodes { uri cid } totalCount } }`
    await this.#honest.revalidate('GET moving', { query }, isQuiet)
  }

  /** Nothing is published meanwhile. All that was published is waited for and compared, with so many questions. */
  async checkpoint(seed: number, questions: number): Promise<void> {
    const marker = await this.#publishers.publishMarker()
    await this.#untilServed(marker)
    await until(() => this.#fixture.unsettled() === 0)
    this.#publishers.settled()
    const reference = await this.#readAll()
    this.#compareRecords(reference)
    for (const n of libraryCollections.keys()) await this.askAgain(n, true)
    for (let n = 0; n < questions; n += 1) {
      const drawn = drawQuestion(reference, this.#collections(), this.#accounts, seed + n)
      if (n % 3 === 0) await this.#honest.compareAgain('checkpoint', reference, drawn)
      else await this.#honest.compare('checkpoint', reference, drawn)
      if (n % 8 === 0) await this.#walk(reference, seed + n)
    }
  }

  /** Those that have records, since nothing can be drawn for others. */
  #collections(): readonly string[] {
    const some = libraryCollections.filter((one) =>
      this.#latest.records.some(({ collection }) => collection === one),
    )
    return some.length === 0 ? libraryCollections : some
  }

  async #readAll(): Promise<Reference> {
    this.#latest = this.#understand(await this.#honest.data('all', { query: `{ ${this.#all} }` }))
    return this.#latest
  }

  #understand(data: Json): Reference {
    const records = libraryCollections.flatMap((_, index) => {
      const { totalCount, nodes } = data[`c${index}`]
      if (totalCount !== nodes.length)
        this.#tally.problem(`A total of ${totalCount} has ${nodes.length} records in one answer.`)
      return nodes.map(
        ({ uri, cid, rev, indexedAt, changedAt, recordJson: value }: Json): PlainRecord => ({
          ...partsOf(uri),
          uri,
          cid,
          rev: rev ?? undefined,
          indexedAt: parseInstant(indexedAt),
          changedAt: parseInstant(changedAt),
          value,
        }),
      )
    })
    return createReference(lexicons, references, records)
  }

  async #untilServed(marker: Version): Promise<void> {
    const expected = cidsOf([...this.#publishers.served().values()])
    let found: ReadonlyMap<string, string> = new Map()
    const isServed = async (): Promise<boolean> => {
      found = cidsOf((await this.#readAll()).records)
      return found.get(marker.uri) === marker.cid && isDeepStrictEqual(found, expected)
    }
    try {
      await until(isServed)
    } catch (error) {
      if (error instanceof Disappointment) throw error
      const uris = [...new Set([...expected.keys(), ...found.keys()])]
      const lines = uris.flatMap((uri) =>
        expected.get(uri) === found.get(uri)
          ? []
          : [`${uri}: published ${expected.get(uri) ?? 'not'}, served ${found.get(uri) ?? 'not'}`],
      )
      if (lines.length === 0) throw error
      throw new Error(`What is served is not what was published:\n${lines.join('\n')}`, { cause: error })
    }
  }

  /** Their values, and that times are those of the record's birth and of its latest change. */
  #compareRecords({ records }: Reference): void {
    for (const { uri, value, indexedAt, changedAt } of records) {
      const version = this.#publishers.find(uri)
      if (version === undefined || !isDeepStrictEqual(value, version.value))
        return this.#tally.problem(`${uri} is served as ${JSON.stringify(value)}.`)
      const { births, changes } = version
      const last = this.#times.get(uri)
      this.#times.set(uri, { births, changes, indexedAt, changedAt })
      const isSound =
        changedAt >= indexedAt &&
        (last === undefined ||
          (births === last.births ? indexedAt === last.indexedAt : indexedAt > last.changedAt)) &&
        (last === undefined ||
          (changes === last.changes ? changedAt === last.changedAt : changedAt > last.changedAt))
      if (!isSound)
        this.#tally.problem(
          `${uri} was born ${last?.births} and is now ${births} times, changed ${last?.changes} and now ${changes} times: indexed at ${last?.indexedAt} and now ${indexedAt}, changed at ${last?.changedAt} and now ${changedAt}.`,
        )
    }
  }

  /** Pages to the end and back again. */
  async #walk(reference: Reference, seed: number): Promise<void> {
    const [collection = ''] = [this.#collections()[seed % this.#collections().length]]
    const {
      where: free,
      sortBy,
      size,
    } = draw(
      fc.record({
        where: wheres(reference, collection, 1),
        sortBy: sorts(reference, collection),
        size: fc.integer({ min: 5, max: 25 }),
      }),
      seed,
    )
    const where = within(this.#accounts, free)
    const { rootField } = shapeOf(reference, collection)
    const walk = async (direction: 'first' | 'last'): Promise<readonly string[]> => {
      const found: string[][] = []
      for (let from = '', isOver = false; !isOver && found.length <= 1_000; ) {
        const list = `${rootField}(where: ${literal(where)}, sortBy: ${sortLiteral(sortBy)}, ${direction}: ${size}${from})`
        const query = `{ q: ${list} { nodes { uri } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
        const { nodes, pageInfo } = (await this.#honest.data('walk', { query })).q
        found.push(nodes.map(({ uri }: Json) => uri))
        const isForwards = direction === 'first'
        from = isForwards
          ? `, after: ${literal(pageInfo.endCursor)}`
          : `, before: ${literal(pageInfo.startCursor)}`
        isOver = !(isForwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)
      }
      return (direction === 'first' ? found : found.toReversed()).flat()
    }
    const [forwards, backwards] = [await walk('first'), await walk('last')]
    const expected = reference.sorted(collection, { where, sortBy }).map(({ uri }) => uri)
    for (const [name, found] of Object.entries({ forwards, backwards }))
      if (!isDeepStrictEqual(found, expected))
        this.#tally.problem(
          `Pages of ${size} ${name} of ${collection} where ${literal(where)} by ${sortLiteral(sortBy)} gave ${found.join(' ')}, not ${expected.join(' ')}`,
        )
  }
}

function cidsOf(records: readonly Pick<Version, 'uri' | 'cid'>[]): ReadonlyMap<string, string> {
  return new Map(
    records.map(({ uri, cid }): [string, string] => [uri, cid]).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
