/** Runs engine-independent steps on one connection to PostgreSQL; prepares each statement once. */
import type { ClientBase } from 'pg'
import type { Steps } from '../metadata/steps.ts'
import { runPrepared } from './prepared.ts'

export async function runSteps<Result>(client: ClientBase, steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    const { text, values } = step.value
    const { rows } = await runPrepared(client, { text: numbered(text), values })
    step = steps.next(rows)
  }
  return step.value
}

/** Replaces `?` by `$1`, `$2` and so on; no statement contains `?` in a literal. */
function numbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${(count += 1)}`)
}
