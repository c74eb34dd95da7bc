/** Validates refused records again, with lexicons that may have changed since. */
import { type Change, addOutcome, noOutcome } from '../database/changes.ts'
import type { Database, ReadDatabase, RejectionJudge } from '../database/database.ts'
import { canBeJudged, rebuildSource } from '../database/write/rejections.ts'
import { parseRecordInstant } from '../util/instant.ts'
import type { ReaderOptions } from './sources/change-reader.ts'
import { createLineChangeReader } from './sources/files/block-reader.ts'
import type { StoredRejection } from '../database/metadata/metadata-store.ts'
import { readRejections } from '../database/metadata/read-rejections.ts'

const batchSize = 200

/** All stored rejections, page by page. A page that was retried does not move the next one. */
export async function* rejectionPages(read: ReadDatabase): AsyncGenerator<readonly StoredRejection[]> {
  for (let after: string | null = null; ; ) {
    const some: readonly StoredRejection[] = await read.readSteps(() => readRejections(batchSize, after))
    if (some.length === 0) return
    yield some
    after = some.at(-1)?.key ?? null
  }
}

/** Stores records that are valid now and removes their rejections; updates the reason of the remaining rejections. */
export async function retryRejections({ read, write }: Database, options: ReaderOptions) {
  const judge = createRejectionJudge(options)
  // Neither can be retried: only the beginning of the record is stored, or it is no record under any lexicons.
  const total = { ...noOutcome(), cut: 0, malformed: 0 }
  for await (const some of rejectionPages(read)) {
    const whole = some.filter(canBeJudged)
    const cut = some.filter((one) => one.cut).length
    total.cut += cut
    total.malformed += some.length - whole.length - cut
    addOutcome(total, await write.applyBatch(whole.map(judge)))
  }
  return total
}

export function createRejectionJudge(options: ReaderOptions): RejectionJudge {
  const readChange = createLineChangeReader(options)
  return ({ source, record, rev }) => {
    const change = readChange(record, { source, ...(rev !== undefined && { rev }) })
    const changedAt = change.kind === 'put' && source === rebuildSource ? changedAtOf(record) : null
    return changedAt === null ? change : ({ ...change, changedAt } as Change)
  }
}

/** Rejections of a rebuild contain the time of the record's last change, unlike lines of an import. */
function changedAtOf(record: string): bigint | null {
  const { changedAt } = JSON.parse(record) as { readonly changedAt?: string }
  return changedAt === undefined ? null : parseRecordInstant(changedAt)
}
