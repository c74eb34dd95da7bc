/** Jobs that fetch repositories: what is asked for, and the one that is due. */
import assert from 'node:assert/strict'
import type { MetadataStore, RepoJob } from '../../../src/database/metadata/metadata-store.ts'

export const wanted = (did: string, host: string | null = null) => ({ did, host, reason: 'It was asked for' })

/** The one job of `ingest` that is due. */
export async function onlyJob(metadata: MetadataStore): Promise<RepoJob> {
  const jobs = await metadata.dueJobs('ingest', 9)
  assert.equal(jobs.length, 1)
  return jobs[0] as RepoJob
}
