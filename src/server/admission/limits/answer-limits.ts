/** The process that counts for all: answers questions of remote-counts.ts, and releases what dead processes held. */
import { type Counts, LongRequests } from './counts.ts'
import type { LimitAnswer, LimitQuestion, Send } from './messages.ts'

/** The connection of one process that asks. */
export interface Asker {
  readonly ask: (question: LimitQuestion) => Promise<void>
  /** The process has ended: ends its long requests; its points expire with their minute. */
  readonly end: () => void
}

/** The returned function adds a process, whose answers go to `send`. */
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
