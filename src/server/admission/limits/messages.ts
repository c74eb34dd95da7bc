/** What the processes of one node say to each other about limits. */
import type { Taken } from './point-store.ts'

/** From one that answers requests to the one that counts for all; with an `id` where it waits for the answer. */
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

/** What the questions are answered with. */
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
  /** To all: keys from this address are not looked at until then, in milliseconds since 1970. */
  | { readonly kind: 'pause'; readonly address: string; readonly ends: number }

/** Takes messages to another process; what it does not get because it has ended is lost. */
export type Send<Message> = (message: Message) => void
