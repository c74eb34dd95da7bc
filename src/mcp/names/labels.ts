/**
 * What answers call the records that references lead to: their names, with a key unless it is known that the name alone
 * means that record. As a filter, a label means the record that it was shown for.
 */
import type { Subject } from '../../ask/collections.ts'
import { printField } from '../../ask/graphql-text.ts'
import type { Where } from '../../ask/where.ts'
import { isObject, type Json } from '../../util/is-object.ts'
import { recordKey } from '../../util/text/record-key.ts'
import { inPages } from '../graphql/ask.ts'
import { cutText } from '../words/plain-text.ts'
import type { Asking, Candidate, Page } from './candidates.ts'
import { readCandidate, readMostReferred, selectMostReferred, selectNames } from './candidates.ts'
import { compareNames, type Match, readWanted } from './compare-names.ts'
import { isRecordKey, isWrittenIdentifier } from './find-names.ts'

type Named = Pick<Candidate, 'uri' | 'key' | 'name'>

/** Characters of a label that no tool cuts. */
const longestLabel = 100

/** The labels by URI. */
export async function findLabels(data: Json, subjects: readonly Subject[], askFor: Asking) {
  const records = [...new Map(resolvedIn(data)).entries()]
  const each = await Array.fromAsync(subjects, (subject) => {
    const { collection, display } = subject
    const named = records.flatMap(([uri, record]): readonly Named[] => {
      const name = uri.split('/')[3] === collection.nsid && display !== null ? record[display.name] : null
      return typeof name === 'string' && name !== '' ? [{ uri, key: recordKey(uri), name }] : []
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

/**
 * A name is shown alone if, of all records that it may mean, it means this one by the rule for filters. Only names are
 * looked up by it, because titles cost too much: they always have the key.
 */
async function labelsOf(
  named: readonly Named[],
  subject: Subject,
  size: number,
  askFor: Asking,
): Promise<readonly (readonly [uri: string, label: string])[]> {
  const { isNamed, display, collection } = subject
  const all = [...new Set(isNamed ? named.map(({ name }) => name).filter(isName) : [])]
  const names = all.filter((name) => !isWord(name)).slice(0, size)
  const words = all.filter(isWord).slice(0, size)
  const keys = [...words.flatMap(keysOf), ...names.filter(isRecordKey)]
  const page = { nodes: selectNames(subject), pageInfo: { hasNextPage: {} } }
  const list = (alias: string, where: Where) => ({
    [printField(`${alias}: ${collection.rootField}`, { first: size, where })]: page,
  })
  const data = await (all.length === 0
    ? {}
    : askFor({
        ...(names.length > 0 && list('same', { [display?.name ?? '']: { in: names } })),
        ...(names.length > 0 && selectMostReferred(subject)),
        ...(keys.length > 0 && list('keyed', { rkey: { in: keys } })),
      }))
  const { same, keyed } = data as { readonly same?: Page; readonly keyed?: Page }
  const read = [same, keyed].flatMap((one) => one?.nodes ?? []).map((node) => readCandidate(node, 0, subject))
  const most = readMostReferred(data, subject)
  const known = [...new Map([...read, ...most].map((one) => [one.uri, one])).values()]
  const isPlain = ({ uri, name }: Named): boolean => {
    const [asked, found] = isWord(name) ? [words, keyed] : [names, same]
    if (!asked.includes(name) || found?.pageInfo.hasNextPage !== false) return false
    if (keyed?.pageInfo.hasNextPage === true) return false
    const wanted = readWanted(name)
    const matching = known.flatMap((one) => {
      const match = compareNames(wanted, one)
      return match === null ? [] : [{ ...one, match }]
    })
    const [first, ...others] = meantFirst(name, matching)
    return first?.uri === uri && others.length === 0 && (!isWord(name) || first.match.isIdentifier)
  }
  return named.map((one) => {
    const { uri, key, name } = one
    if (isPlain(one)) return [uri, name]
    // A filter takes these as missing or as a URI.
    if (name.trim() === '' || name.startsWith('at://')) return [uri, uri]
    const isShared = [...named, ...known].some((other) => other.uri !== uri && other.key === key)
    const mark = isShared ? uri : key
    return [uri, `${cutText(name, Math.max(longestLabel - 3 - mark.length, 20))} (${mark})`]
  })
}

/** A name, which may be cut, and the key or URI of the record. */
export const labelForm = /^(.+?)…? \(([^\s()]+)\)$/su

/** Whether a filter takes the text as it is, and as a name. */
function isName(text: string): boolean {
  const isWhole = readWanted(text).text === text && cutText(text, longestLabel) === text
  return isWhole && !/^\(missing\)$|\0/.test(text) && !labelForm.test(text)
}

/** Whether the name may be the key, the domain or the handle of another record. */
function isWord(name: string): boolean {
  return (isWrittenIdentifier(name) && !/\s/.test(name)) || readWanted(name).address !== null
}

/** The keys that a text names: the text, and its domain in small letters. */
function keysOf(text: string): readonly string[] {
  return [text, readWanted(text).host ?? text]
}

/**
 * The records that a text means before all that match it: of those that it identifies, the only one with that key;
 * otherwise those that are called so, unless they have less than half of the references of those with equal names, or
 * less than 5 % of those with its words too.
 */
export function meantFirst<One extends Candidate & { readonly match: Match }>(
  text: string,
  matching: readonly One[],
): readonly One[] {
  if (isWrittenIdentifier(text) && matching.some(({ match }) => match.isIdentifier)) {
    const keyed = keysOf(text).map((key) => matching.filter((one) => one.key === key))
    const [only, ...others] = keyed.find(({ length }) => length > 0) ?? []
    return only === undefined || others.length > 0 ? [] : [only]
  }
  const keyed = matching.filter(({ key }) => key === text)
  if (keyed.length === 1) return keyed
  const shown = matching.filter(({ name }) => name === text)
  const called = shown.length > 0 ? shown : matching.filter(({ match }) => match.isLabel)
  const sum = (records: readonly One[]) => records.reduce((total, { fame }) => total + fame, 0)
  const of = (...kinds: readonly string[]) => matching.filter(({ match }) => kinds.includes(match.kind))
  const own = sum(called)
  return 2 * own >= sum(of('exact')) && 20 * own >= sum(of('exact', 'words')) ? called : []
}
