/** The process that counts for all: answers the others (remote-counts.ts), and cleans up after those that have died. */
import { type Counts, LongRequests } from './counts.ts'
import type { LimitAnswer, LimitQuestion, Send } from './messages.ts'

/** One process that asks. */
export interface Asker {
  readonly ask: (question: LimitQuestion) => Promise<void>
  /** It has ended. Its turns are free again; what it held of points ends with their minute. */
  readonly end: () => void
}

/** Whoever is added by the function that is returned is answered by `send`. */
export function answerLimits(counts: Counts): (send: Send<LimitAnswer>) => Asker {
  const everybody = new Set<Send<LimitAnswer>>()
  const giveUp = (longRequests: LongRequests): void => {
    for (const key of longRequests.clear()) counts.leave(key)
  }
  return (send) => {
    const longRequests = new LongRequests()
    everybody.add(send)
    return {
      async ask(question) {
        switch (question.kind) {
          case 'take': {
            const { id, key, limit, needed, wished } = question
            return send({ kind: 'counted', id, answer: await counts.take(key, limit, needed, wished) })
          }
          case 'give-back':
            return counts.giveBack(question.key, question.points, question.ends)
          case 'enter': {
            const { id, key, concurrent } = question
            const answer = await counts.enter(key, concurrent)
            if (answer) longRequests.enter(key, Number.POSITIVE_INFINITY)
            if (!everybody.has(send)) return giveUp(longRequests)
            return send({ kind: 'counted', id, answer })
          }
          case 'leave':
            longRequests.leave(question.key)
            return counts.leave(question.key)
          case 'fail-key': {
            const { id, address } = question
            const answer = await counts.failKey(address)
            send({ kind: 'counted', id, answer })
            const ends = Date.now() + answer * 1000
            if (answer > 0) for (const tell of everybody) tell({ kind: 'pause', address, ends })
          }
        }
      },
      end() {
        everybody.delete(send)
        giveUp(longRequests)
      },
    }
  }
}
