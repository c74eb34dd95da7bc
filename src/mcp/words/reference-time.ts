/**
 * The time from which "today" and "last 7 days" count: now, or in an archive the time of the newest record. For a
 * collection, an index is an archive if neither the collection nor the main collection has a record of the last 7 days.
 * The main collection counts too, because others may be small: a list of outlets rarely gets a record.
 */
import type { Collection } from '../../schema/model/model.ts'
import type { Catalogue, Subject } from '../../ask/collections.ts'
import { indexTimeSelection, newestIndexed } from '../graphql/ask.ts'
import type { Asking } from '../names/candidates.ts'
import { formatInstant } from '../../util/instant.ts'
import { readEnd, selectEnd } from './days.ts'

/** Days: an index whose newest record is older is an archive. */
const archiveDays = 7

/** For one call, which reads each time once. */
export function createReferenceTimes(catalogue: Catalogue, now: () => Date, askFor: Asking) {
  const main = findMain(catalogue)
  const read = new Map<string, Promise<Date>>()
  const archived = new Set<string>()
  const noted = new Set<string>()

  async function readTime(subject: Subject, at = now(), until = at.toISOString()): Promise<Date> {
    const subjects = main === null || main === subject ? [subject] : [subject, main]
    const selections = subjects.map((each, index) =>
      selectEnd(`newest${index}`, each, 'DESC', { where: { [each.time]: { lte: until } } }),
    )
    const data = await askFor(Object.assign({}, indexTimeSelection, ...selections))
    const times = subjects.flatMap((each, index) => readEnd(data, `newest${index}`, each) ?? [])
    // Times in the future, or after the last indexing, are mistakes, and are ignored.
    const last = newestIndexed(data)
    if (last !== null && times.some((time) => time > last)) return readTime(subject, at, formatInstant(last))
    // Rounded up to a millisecond, so that the record is not later.
    const newest = Math.max(...times.map((time) => Number((time + 999n) / 1000n)))
    if (times.length === 0 || at.getTime() - newest <= archiveDays * 86_400_000) return at
    const archiveEnd = new Date(newest)
    archived.add(archiveEnd.toISOString().slice(0, 10))
    return archiveEnd
  }

  /** The time from which times count in conditions on that collection. */
  const referenceTime = ({ nsid }: Collection): Promise<Date> => {
    const known = read.get(nsid) ?? readTime(catalogue.of(nsid))
    read.set(nsid, known)
    return known
  }
  /** Says what times such as "last week" have been read as, and from when they have counted so far, unless that is now. */
  const referenceHint = (): string | null => {
    const said = noted.size === 0 ? '' : `${[...noted].join(', ')}. `
    return archived.size === 0
      ? said.trim() || null
      : `${said}Times count from the newest record, ${[...archived].join(' or ')}, because the index is an archive.`
  }
  return {
    referenceTime,
    noteTime(text: string, read: string): void {
      noted.add(`"${text.trim()}" is ${read}`)
    },
    referenceHint,
    /** Says from when times in conditions on the main collection count, unless that is now. */
    async archiveHint() {
      if (main !== null) await referenceTime(main.collection)
      return referenceHint()
    },
  }
}

/** The collection with the most references from and to other collections; null without collections. */
function findMain(catalogue: Catalogue): Subject | null {
  const [main] = catalogue.model.collections.toSorted(
    (one, other) => countReferences(other) - countReferences(one),
  )
  return main === undefined ? null : catalogue.of(main.nsid)
}

function countReferences({ references, referredBy, nsid }: Collection): number {
  const outward = references.filter(({ target }) => target !== null && target !== nsid)
  const inward = referredBy.filter(({ collection }) => collection !== nsid)
  return outward.length + inward.length
}
