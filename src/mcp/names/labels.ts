/**
 * What answers call the records that references lead to: their names, with a key where the name alone may mean another
 * record. As a filter, such a label means that record.
 */
import type { Subject } from '../../ask/collections.ts'
import { printField } from '../../ask/graphql-text.ts'
import { isObject, type Json } from '../../util/is-object.ts'
import { recordKey } from '../../util/text/record-key.ts'
import { inPages } from '../graphql/ask.ts'
import type { Asking, Candidate, Page } from './candidates.ts'
import { readCandidate, readMostReferred, selectMostReferred, selectNames } from './candidates.ts'
import { compareNames, type Match, readWanted } from './compare-names.ts'

type Named = Pick<Candidate, 'uri' | 'name'>

/** The labels by URI, where they are not the name alone. */
export async function findLabels(
  data: Json,
  subjects: readonly Subject[],
  askFor: Asking,
): Promise<ReadonlyMap<string, string>> {
  const records = [...new Map(resolvedIn(data)).entries()]
  const each = await Array.fromAsync(subjects, (subject) => {
    const { collection, display } = subject
    const named = records.flatMap(([uri, record]): readonly Named[] => {
      const name = uri.split('/')[3] === collection.nsid && display !== null ? record[display.name] : null
      return typeof name === 'string' && name !== '' ? [{ uri, name }] : []
    })
    return named.length === 0 ? [] : inPages((size) => labelsOf(named, subject, size, askFor))
  })
  return new Map(each.flat())
}

/** The records that were read behind references, with their URIs. */
function resolvedIn(value: unknown): readonly (readonly [uri: string, record: Json])[] {
  if (Array.isArray(value)) return value.flatMap(resolvedIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inside]) => {
    const references = [inside].flat()
    const records = [value[`${name}Resolved`]].flat()
    const resolved = records.flatMap((record, at) => {
      const reference = references[at]
      return isObject(record)
        ? [[String(isObject(reference) ? reference.uri : reference), record] as const]
        : []
    })
    return [...resolved, ...resolvedIn(inside)]
  })
}

async function labelsOf(
  named: readonly Named[],
  subject: Subject,
  size: number,
  askFor: Asking,
): Promise<readonly (readonly [uri: string, label: string])[]> {
  const { isNamed, display, collection } = subject
  const names = [...new Set(named.map(({ name }) => name))].filter((name) => !isAddress(name)).slice(0, size)
  const where = { [display?.name ?? '']: { in: names } }
  const list = printField(`same: ${collection.rootField}`, { first: size, where })
  const page = { nodes: selectNames(subject), pageInfo: { hasNextPage: {} } }
  const isAsked = isNamed && names.length > 0
  const data = isAsked ? await askFor({ [list]: page, ...selectMostReferred(subject) }) : {}
  const { nodes = [], pageInfo } = (data['same'] ?? {}) as Partial<Page>
  const read = nodes.map((node) => readCandidate(node, 0, subject))
  const known = [...new Map([...named, ...read].map((one) => [one.uri, one])).values()]
  const most = readMostReferred(data, subject)
  const isPlain = ({ uri, name }: Named, same: readonly Named[]): boolean => {
    const wanted = readWanted(name)
    if (isAddress(name)) return wanted.host === recordKey(uri)
    if (same.length > 0 || !isNamed) return same.length === 0
    const matching = most.flatMap((one) => {
      const match = compareNames(wanted, one)
      return match === null ? [] : [{ ...one, match }]
    })
    const isWhole = pageInfo?.hasNextPage === false && names.includes(name) && name === wanted.text
    return isWhole && isOwnName([uri], matching)
  }
  return named.flatMap((one) => {
    const same = known.filter(({ uri, name }) => uri !== one.uri && name === one.name)
    if (isPlain(one, same)) return []
    const key = recordKey(one.uri)
    const mark = same.some(({ uri }) => recordKey(uri) === key) ? one.uri : key
    return [[one.uri, `${one.name} (${mark})`] as const]
  })
}

/** Whether the name may be the key of another record. */
function isAddress(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name) && readWanted(name).host !== null
}

/**
 * Whether a name means the records that are called exactly so, of all that match it: they have half of the references of
 * those with equal names, and 5 % of those with its words too.
 */
export function isOwnName(
  uris: readonly string[],
  matching: readonly (Candidate & { readonly match: Match })[],
): boolean {
  const sum = (...kinds: readonly string[]) =>
    matching.reduce((total, { match, fame }) => total + (kinds.includes(match.kind) ? fame : 0), 0)
  const own = matching.reduce((total, { uri, fame }) => total + (uris.includes(uri) ? fame : 0), 0)
  return 2 * own >= sum('exact') && 20 * own >= sum('exact', 'words')
}
