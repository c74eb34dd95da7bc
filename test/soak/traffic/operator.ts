/** Somebody at the command line, beside the running server: hides and shows, and gives out, replaces and ends keys. */
import type { Dice } from '../../network/fake-server.ts'
import { moment } from '../../support/until.ts'
import { literal } from '../../support/service/graphql-text.ts'
import { Caller, outcomeOf } from './client.ts'
import { lexicons, partsOf, references } from '../corpora.ts'
import type { Honest } from './honest.ts'
import type { Publishers } from './publishers.ts'
import { shapeOf } from './questions.ts'
import { createReference } from '../../reference/reference.ts'
import type { Tally } from '../tally.ts'
import type { Fixture } from '../fixture.ts'

export interface OperatorGiven {
  readonly fixture: Fixture
  readonly publishers: Publishers
  readonly honest: Honest
  readonly port: number
  readonly dice: Dice
  readonly tally: Tally
  /** Of the tier of honest callers. */
  readonly seen: Map<string, number>
}

const shapes = createReference(lexicons, references, [])
const mostHidden = 6

export class Operator {
  /** Keys that no longer hold. */
  readonly endedKeys: string[] = []
  readonly #given: OperatorGiven
  #turns = 0

  constructor(given: OperatorGiven) {
    this.#given = given
  }

  /** Does so many things, one every few seconds. */
  async act(count: number): Promise<void> {
    for (const last = this.#turns + count; this.#turns < last; this.#turns += 1) {
      if (this.#turns % 3 === 2) await this.#turnKeys()
      else await this.#hideOrShow()
      await moment(1_000)
    }
  }

  async #hideOrShow(): Promise<void> {
    const { fixture, publishers, dice, tally, honest } = this.#given
    const hidden = [...publishers.hidden]
    if (hidden.length > 0 && (hidden.length >= mostHidden || dice.chance(0.4))) {
      const subject = dice.pick(hidden)
      await fixture.run('hide', '--undo', subject, '--by', 'ann')
      publishers.unhide(subject)
      return tally.count('unhide', 'ok')
    }
    const versions = [...publishers.served().values()].filter(({ did }) => did !== publishers.markerAccount)
    if (versions.length === 0) return
    const version = dice.pick(versions)
    const subject = dice.chance(0.2) ? version.did : version.uri
    await fixture.run('hide', subject, '--reason', 'It was asked for.', '--by', 'ann')
    publishers.hide(subject)
    tally.count('hide', 'ok')
    const { rootField } = shapeOf(shapes, partsOf(version.uri).collection)
    const where = subject === version.did ? { did: { eq: subject } } : { uri: { eq: subject } }
    const { one, list, count } = await honest.data('hidden', {
      query: `{ one: ${rootField}ByUri(uri: ${literal(version.uri)}) { uri } list: ${rootField}(where: ${literal(where)}) { totalCount nodes { uri } } count: ${rootField}Aggregate(where: ${literal(where)}) { count } }`,
    })
    if (one !== null || list.totalCount !== 0 || list.nodes.length > 0 || count.count !== 0)
      tally.problem(`${subject} was hidden and is still there: ${JSON.stringify({ one, list, count })}`)
  }

  /** Each time from another address, since only so many keys that do not hold are looked at from one. */
  async #turnKeys(): Promise<void> {
    const { fixture, port, seen, tally } = this.#given
    using caller = new Caller({ port, address: `127.0.1.${1 + (this.#turns % 250)}` })
    const ask = async (key: string, expected: string): Promise<void> => {
      const answer = await caller.post({ query: '{ __typename }' }, key)
      const outcome = outcomeOf(answer)
      tally.count('key', outcome)
      // A key that does not hold has no tier.
      if (outcome === 'ok') seen.set('ok', (seen.get('ok') ?? 0) + 1)
      if (outcome !== expected) tally.problem(`A key got ${outcome}, not ${expected}: ${answer.text}`)
    }
    const first = await fixture.createKey('turned', 'honest')
    await ask(first.key, 'ok')
    const second = JSON.parse(await fixture.run('keys', 'rotate', first.id, '--grace', '0', '--json'))
    await ask(first.key, 'UNAUTHENTICATED')
    await ask(second.key, 'ok')
    await fixture.run('keys', 'revoke', second.id)
    await ask(second.key, 'UNAUTHENTICATED')
    this.endedKeys.push(first.key, second.key)
  }
}
