/** Messages about limits between the processes of one node. */
import type { Taken } from './point-store.ts'

/** From a serving process to the one that counts for all; `id` where the sender waits for an answer. */
export type LimitQuestion =
  | {
      readonly kind: 'take'
      readonly id: number
      readonly key: string
      readonly limit: number
      readonly needed: number
      readonly wished: number
    }
  | { readonly kind: 'give-back'; readonly key: string; readonly points: number; readonly ends: number }
  | { readonly kind: 'enter'; readonly id: number; readonly key: string; readonly concurrent: number }
  | { readonly kind: 'leave'; readonly key: string }
  | { readonly kind: 'fail-key'; readonly id: number; readonly address: string }

/** Answers by the kind of question. */
export interface LimitAnswers {
  readonly take: Taken
  readonly enter: boolean
  readonly 'fail-key': number
}

export type LimitAnswer =
  | {
      readonly kind: 'counted'
      readonly id: number
      readonly answer: LimitAnswers[keyof LimitAnswers]
    }
  /** To all processes: do not check keys from this address until `ends`, in milliseconds since 1970. */
  | { readonly kind: 'pause'; readonly address: string; readonly ends: number }

/** Sends a message to another process; the message is lost if that process has ended. */
export type Send<Message> = (message: Message) => void
