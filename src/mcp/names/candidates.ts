/**
 * Records with what people call them, and with how many records refer to them. Those that most refer to are called by short
 * forms; the service has counted them, so that they are read at little cost.
 */
import { leafPath } from '../../schema/model/leaves.ts'
import { groupFields, holderOf } from '../../schema/model/operators.ts'
import type { Field } from '../../schema/model/model.ts'
import type { Subject } from '../../ask/collections.ts'
import { EnumValue, nested, onType, printField, type Selection } from '../../ask/graphql-text.ts'
import { resolvedName } from '../../ask/selection.ts'
import type { Json } from '../../util/is-object.ts'
import { type Match, readOwnNames, siteOf } from './compare-names.ts'

/** Records that most refer to, of each reference. */
const mostRead = 500

export type Candidate = ReturnType<typeof readCandidate>

export interface NamedRecord extends Candidate {
  /** The number of records that refer to it; null if its collection is not referred to. */
  readonly records: number | null
  readonly match: Match
}

export type Asking = (selection: Selection) => Promise<Json>

/** Of a list of records. */
export interface Page {
  readonly nodes: readonly Json[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

export function selectNames({ display, domains, handles, addresses, apart }: Subject): Selection {
  const fields = [display, ...domains, ...handles, ...addresses, apart].filter((field) => field !== null)
  return { uri: {}, rkey: {}, ...Object.fromEntries(fields.map(({ name }) => [name, {}])) }
}

/**
 * `fame`: the number of records that refer to it if it is among those that most refer to, otherwise 0. `apart`: the value
 * of the subject's field of that name; of an address of a site, the host.
 */
export function readCandidate(node: Json, fame: number, subject: Subject) {
  const texts = (...fields: readonly (Field | null)[]): string[] =>
    fields.flatMap((field) => {
      const value = field === null ? null : node[field.name]
      return typeof value === 'string' ? [value] : []
    })
  const [uri, key] = [String(node.uri), String(node.rkey)]
  const [name = uri] = texts(subject.display)
  const [domains, handles] = [texts(...subject.domains), texts(...subject.handles)]
  const own = readOwnNames(name, [uri, key], domains, handles, texts(...subject.addresses))
  const [value = null] = texts(subject.apart)
  return { ...own, subject, uri, key, apart: value === null ? null : (siteOf(value) ?? value), fame }
}

/** The references to the collection, as groups of the records that refer. */
function referringGroups({ counted, model }: Subject) {
  return counted.flatMap((reference, at) => {
    const collection = holderOf(reference, model)
    const fields = groupFields(collection, model)
    const path = reference.path.join('.')
    const isOf = (leaf: (typeof fields)[number]['leaf']) => leafPath(leaf).join('.') === path
    const name = fields.find(({ joins, leaf }) => joins.length === 0 && isOf(leaf))?.name
    const resolved = name === undefined ? null : resolvedName(fields, name)
    if (name === undefined || resolved === null) return []
    const groups = { groupBy: [new EnumValue(name)], limit: mostRead }
    const alias = `most${at}`
    return [{ alias, list: printField(`${alias}: ${collection.rootField}Aggregate`, groups), resolved }]
  })
}

export function selectMostReferred(subject: Subject): Selection {
  const named = (resolved: string) =>
    nested([resolved, onType(subject.collection.typeName)], selectNames(subject))
  return Object.fromEntries(
    referringGroups(subject).map(({ list, resolved }) => [
      list,
      { groups: { ...named(resolved), count: {} } },
    ]),
  )
}

/** The records that most refer to, the most first. */
export function readMostReferred(data: Json, subject: Subject): readonly Candidate[] {
  const all = new Map<unknown, readonly [node: Json, fame: number]>()
  for (const { alias, resolved } of referringGroups(subject))
    for (const group of (data[alias] as { readonly groups: readonly Json[] } | undefined)?.groups ?? []) {
      const node = group[resolved] as Json | null
      // A reference may lead to a record that is not indexed, or to one of another collection.
      if (node?.uri) all.set(node.uri, [node, (all.get(node.uri)?.[1] ?? 0) + Number(group['count'])])
    }
  return Array.from(all.values(), ([node, fame]) => readCandidate(node, fame, subject)).toSorted(
    (a, b) => b.fame - a.fame,
  )
}

/** The records of one collection with the numbers of records that refer to them. */
export async function countReferring(
  records: readonly NamedRecord[],
  { collection: { rootField }, counted }: Subject,
  askFor: Asking,
): Promise<readonly NamedRecord[]> {
  if (counted.length === 0 || records.length === 0) return records
  const totals = counted.map(({ viaField }) => [printField(viaField, { first: 0 }), { totalCount: {} }])
  const where = { uri: { in: records.map(({ uri }) => uri) } }
  const list = printField(rootField, { first: records.length, where })
  const data = await askFor({ [list]: { nodes: { uri: {}, ...Object.fromEntries(totals) } } })
  const { nodes } = data[rootField] as { readonly nodes: readonly Json[] }
  const countOf = (node: Json) =>
    counted.reduce((sum, { viaField }) => sum + (node[viaField] as { totalCount: number }).totalCount, 0)
  const counts = new Map(nodes.map((node) => [String(node.uri), countOf(node)]))
  return records.map((record) => ({ ...record, records: counts.get(record.uri) ?? 0 }))
}
