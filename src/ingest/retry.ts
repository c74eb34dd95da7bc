/** Judges refused records again, by lexicons that may have changed since. */
import type { BatchOutcome, Change } from '../database/changes.ts'
import type { Database } from '../database/database.ts'
import type { KeptRejection } from '../database/ledger.ts'
import { addOutcome, noOutcome } from '../database/outcome.ts'
import { createLineReader } from '../lexicon/validate.ts'
import { createLineChangeOf, type ReaderOptions } from './sources/block-reader.ts'

interface RetryResult extends BatchOutcome {
  /** Of which only the beginning was kept, so that they cannot be tried. */
  readonly cut: number
}

const batchSize = 200

/** Those that fit now are stored and no longer listed; the others stay, with the reason as it is now. */
export async function retryRejections(
  { read, write }: Database,
  options: ReaderOptions,
): Promise<RetryResult> {
  const readLine = createLineReader(options.lexicons)
  const changeOf = createLineChangeOf(options)
  const judge = ({ source, record, rev }: KeptRejection): Change =>
    changeOf(readLine(record), () => ({ source, record, ...(rev !== undefined && { rev }) }))
  const total = { ...noOutcome(), cut: 0 }
  let after: string | null = null
  for (;;) {
    const some = await read.readRejections(batchSize, after)
    if (some.length === 0) return total
    after = some.at(-1)?.key ?? null
    // What nobody vouched for, or what is no record, would only be refused again under another key.
    const whole = some.filter(({ cut, uri }) => !cut && uri !== null)
    total.cut += some.filter(({ cut }) => cut).length
    addOutcome(total, await write.applyBatch(whole.map(judge)))
  }
}
