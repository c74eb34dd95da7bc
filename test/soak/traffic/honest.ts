/** A caller who asks properly, and for whom only an exact answer is good enough. */
import assert from 'node:assert/strict'
import type { Json } from '../../reference/shapes.ts'
import type { Reference } from '../../reference/reference.ts'
import { type Answer, type Caller, outcomeOf, type Question } from './client.ts'
import { type Drawn, questionOf } from './questions.ts'
import type { Tally } from '../tally.ts'

/** What nobody should have had to see; it is in the tally already. */
export class Disappointment extends Error {
  override name = 'Disappointment'
}

/** Characters; servers and proxies take no more than twice that. */
const longestUrl = 7_000

export class Honest {
  readonly #caller: Caller
  readonly #tally: Tally
  /** By question and validator, the only body that it may stand for. */
  readonly #bodies = new Map<string, string>()
  /** By question, what it got when it last asked for what changes. */
  readonly #last = new Map<string, { readonly etag: string; readonly text: string }>()

  constructor(caller: Caller, tally: Tally) {
    this.#caller = caller
    this.#tally = tally
  }

  /** The data of an answer; null where a question costs more than anybody may spend. */
  async data(kind: string, question: Question): Promise<Json> {
    const answer = await this.#caller.post(question)
    if (this.#isTooCostly(kind, answer)) return null
    this.#judge(kind, question, answer)
    return JSON.parse(answer.text).data
  }

  /** Compares with what the records say. */
  async compare(kind: string, reference: Reference, drawn: Drawn): Promise<void> {
    const question = questionOf(drawn)
    const answer = await this.#caller.post(question)
    if (this.#isTooCostly(kind, answer)) return
    this.#judge(kind, question, answer)
    this.#hold(question, answer, () => drawn.check(reference, JSON.parse(answer.text).data.q))
  }

  /** The same, as who keeps the answer and asks whether it still holds. */
  async compareAgain(kind: string, reference: Reference, drawn: Drawn): Promise<void> {
    const question = questionOf(drawn)
    if (encodeURIComponent(JSON.stringify(question)).length > longestUrl)
      return this.compare(kind, reference, drawn)
    const first = await this.#caller.get(question)
    if (this.#isTooCostly(kind, first)) return
    this.#judge(kind, question, first)
    this.#hold(question, first, () => drawn.check(reference, JSON.parse(first.text).data.q))
    await this.validate(kind, question, first)
  }

  /** Asks with GET, and again whether that still holds. */
  async validate(kind: string, question: Question, given?: Answer): Promise<void> {
    const first = given ?? (await this.#caller.get(question))
    if (given === undefined) this.#judge(kind, question, first)
    const etag = first.headers.etag ?? ''
    this.#remember(question, etag, first)
    const second = await this.#caller.get(question, etag)
    this.#judge(kind, question, second)
    if (second.status === 304) {
      this.#hold(question, second, () => assert.deepEqual([second.text, second.headers.etag], ['', etag]))
    } else {
      this.#remember(question, second.headers.etag ?? '', second)
      this.#hold(question, second, () => assert.notEqual(second.text, first.text, 'The same again, whole.'))
    }
  }

  /** Asks with GET for what changes, whether what it got the last time still holds. When nothing changes, that is certain. */
  async revalidate(kind: string, question: Question, isQuiet: boolean): Promise<void> {
    const key = JSON.stringify(question)
    const last = this.#last.get(key)
    const again = await this.#caller.get(question, last?.etag ?? null)
    this.#judge(kind, question, again)
    const now = again.status === 304 ? await this.#caller.get(question) : again
    if (again.status === 304) this.#judge(kind, question, now)
    if (again.status === 304 && isQuiet)
      this.#hold(question, now, () => assert.equal(now.text, last?.text, 'It was said to be as before.'))
    const etag = now.headers.etag ?? ''
    this.#remember(question, etag, now)
    this.#last.set(key, { etag, text: now.text })
  }

  forgetBodies(): void {
    this.#bodies.clear()
  }

  #remember(question: Question, etag: string, { text }: Answer): void {
    const key = `${etag} ${JSON.stringify(question)}`
    const known = this.#bodies.get(key)
    if (!/^W\/"[\w-]+"$/.test(etag)) this.#fail(question, `The validator is ${etag}.`)
    if (known !== undefined && known !== text)
      this.#fail(question, `${etag} stands for ${known.slice(0, 500)} and for ${text.slice(0, 500)}`)
    this.#bodies.set(key, text)
  }

  #isTooCostly(kind: string, answer: Answer): boolean {
    const isTooCostly =
      outcomeOf(answer) === 'QUERY_TOO_COMPLEX' &&
      /^The operation costs \d+ points/.test(JSON.parse(answer.text).errors[0].message)
    if (isTooCostly) this.#tally.count(kind, 'QUERY_TOO_COMPLEX')
    return isTooCostly
  }

  #judge(kind: string, question: Question, answer: Answer): void {
    const outcome = outcomeOf(answer)
    this.#tally.count(kind, outcome)
    const isGood = outcome === 'ok' ? answer.status === 200 : outcome === 'not modified'
    if (!isGood)
      this.#fail(question, `${kind} was answered with ${answer.status}: ${answer.text.slice(0, 1_000)}`)
  }

  #hold(question: Question, answer: Answer, check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#fail(question, `${(error as Error).message}\nin ${answer.text.slice(0, 1_500)}`)
    }
  }

  #fail(question: Question, what: string): never {
    const text = `${what}\nasked: ${JSON.stringify(question).slice(0, 3_000)}`
    this.#tally.problem(text)
    throw new Disappointment(text)
  }
}
