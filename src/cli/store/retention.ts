/** Parses `--retain`: how long records of a collection are retained. */
import { UsageError } from '../../errors.ts'
import type { Retention } from '../../database/metadata/expiry.ts'
import type { Table } from '../../database/layout/tables.ts'
import { nearest } from '../../util/text/nearest.ts'

/** Microseconds. */
const units: Readonly<Record<string, bigint>> = { h: 3_600_000_000n, d: 86_400_000_000n }
const form = 'Write it as NSID=90d, in days (d) or hours (h); several with commas.'

/** Empty without the setting; throws a `UsageError` for an invalid one. */
export function parseRetention(text: string | null, tables: readonly Table[]): Retention {
  const ages = parseAges(text)
  const known = tables.map(({ collection }) => collection.nsid)
  for (const nsid of ages.keys()) {
    if (known.includes(nsid)) continue
    const guess = nearest(nsid, known)
    const hint = guess === null ? '`lexigraph status` lists those that there are.' : `Did you mean ${guess}?`
    throw new UsageError(`--retain names ${nsid}, which is not a collection of the lexicons. ${hint}`)
  }
  return ages
}

/** Like `parseRetention`, but does not check that the collections exist. */
export function parseAges(text: string | null): Retention {
  const ages = new Map<string, bigint>()
  for (const part of text?.split(',') ?? []) {
    const [, nsid = '', count = '', unit = ''] = /^\s*([^=\s]+)\s*=\s*(\d{1,6})([hd])\s*$/.exec(part) ?? []
    if (nsid === '' || Number(count) === 0)
      throw new UsageError(
        `--retain has ${JSON.stringify(part.trim())}, which is not an age of a collection. ${form}`,
      )
    if (ages.has(nsid)) throw new UsageError(`--retain names ${nsid} twice. Give it one age.`)
    ages.set(nsid, BigInt(count) * (units[unit] ?? 0n))
  }
  return ages
}
