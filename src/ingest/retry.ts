/** Judges refused records again, by lexicons that may have changed since. */
import type { BatchOutcome, Change } from '../database/changes.ts'
import type { Database, RejectionJudge } from '../database/database.ts'
import { addOutcome, noOutcome } from '../database/write/outcome.ts'
import { canBeJudged, rebuildSource } from '../database/write/rejections.ts'
import { createLineReader } from '../lexicon/records/validate.ts'
import { parseRecordInstant } from '../util/instant.ts'
import { createLineChangeOf, type ReaderOptions } from './sources/files/block-reader.ts'

interface RetryResult extends BatchOutcome {
  /** Of which only the beginning was kept, so that they cannot be tried. */
  readonly cut: number
  /** That are no records, whatever the lexicons say, so that they cannot be tried either. */
  readonly malformed: number
}

const batchSize = 200

/** Those that fit now are stored and no longer listed; the others stay, with the reason as it is now. */
export async function retryRejections(
  { read, write }: Database,
  options: ReaderOptions,
): Promise<RetryResult> {
  const judge = createRejectionJudge(options)
  const total = { ...noOutcome(), cut: 0, malformed: 0 }
  let after: string | null = null
  for (;;) {
    const some = await read.readRejections(batchSize, after)
    if (some.length === 0) return total
    after = some.at(-1)?.key ?? null
    const whole = some.filter(canBeJudged)
    const cut = some.filter((one) => one.cut).length
    total.cut += cut
    total.malformed += some.length - whole.length - cut
    addOutcome(total, await write.applyBatch(whole.map(judge)))
  }
}

export function createRejectionJudge(options: ReaderOptions): RejectionJudge {
  const readLine = createLineReader(options.lexicons)
  const changeOf = createLineChangeOf(options)
  return ({ source, record, rev }) => {
    const change = changeOf(readLine(record), () => ({ source, record, ...(rev !== undefined && { rev }) }))
    const changedAt = change.kind === 'put' && source === rebuildSource ? changedAtOf(record) : null
    return changedAt === null ? change : ({ ...change, changedAt } as Change)
  }
}

/** What a rebuild put aside says when the record was last changed, which lines of an import do not. */
function changedAtOf(record: string): bigint | null {
  const { changedAt } = JSON.parse(record) as { readonly changedAt?: string }
  return changedAt === undefined ? null : parseRecordInstant(changedAt)
}
