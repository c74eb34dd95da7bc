/** Entry point of a thread that reads one repository at a time, step by step as requested. */
import { workerData } from 'node:worker_threads'
import type { Change } from '../../../database/changes.ts'
import { createChangeReader, type NetworkReaderOptions } from '../change-reader.ts'
import { RepoError } from './repo-blocks.ts'
import { openRepo, type Repo } from './repo-reader.ts'
import { answerRequests } from '../threads.ts'

/** Order of requests: `open`, `isSigned` until true, `next` until its changes are null. */
export type RepoQuestion =
  | { readonly kind: 'open'; readonly car: Uint8Array<ArrayBuffer>; readonly source: string }
  | { readonly kind: 'isSigned'; readonly signingKey: string }
  | { readonly kind: 'next' }

export type RepoAnswer =
  | { readonly kind: 'open'; readonly did: string; readonly future: Repo['future'] }
  | { readonly kind: 'isSigned'; readonly signed: boolean }
  /** Null after the last chunk. */
  | { readonly kind: 'next'; readonly changes: readonly Change[] | null }
  /** A `RepoError`; the repository is closed. */
  | { readonly kind: 'refused'; readonly message: string; readonly passing: boolean }

const reader = createChangeReader(workerData as NetworkReaderOptions)

let repo: Repo | null = null

answerRequests(async (question: RepoQuestion): Promise<RepoAnswer> => {
  try {
    return await answer(question)
  } catch (error) {
    repo = null
    if (!(error instanceof RepoError)) throw error
    return { kind: 'refused', message: error.message, passing: error.shouldRetry() }
  }
})

async function answer(question: RepoQuestion): Promise<RepoAnswer> {
  if (question.kind === 'open') {
    repo = await openRepo(question.car, reader, question.source)
    return { kind: 'open', did: repo.did, future: repo.future }
  }
  if (repo === null) throw new Error('No repository is open.')
  if (question.kind === 'isSigned') return { kind: 'isSigned', signed: repo.isSignedBy(question.signingKey) }
  const next = await repo.chunks.next()
  if (next.done === true) repo = null
  return { kind: 'next', changes: next.done === true ? null : next.value }
}
