/** The references of a record: what is asked about the records behind them, and what the answer says. */
import type { ObjectType, Reference } from '../../schema/model/model.ts'
import { leaves, mergeSelections, nested, onType, type Selection } from '../../ask/graphql-text.ts'
import type { PageSubject, Subjects } from '../fields/subject.ts'
import { elementOf } from '../../ask/paths.ts'
import { resolvedName } from '../../ask/selection.ts'

/** What is known about the records that a page refers to. */
export type References = Readonly<ReturnType<typeof readReferences>>

/** The title of the record behind each reference, and whether it is the current version. */
export function selectReferences({ collection }: PageSubject, subjects: Subjects): Selection {
  const selections = collection.references.flatMap((reference) => {
    const found = fieldsTo(collection.type, reference.path)
    if (found === null) return []
    const { own, resolved } = found
    return [
      ...(reference.kind === 'strongRef' ? [nested(own, leaves('uri', 'cid', 'isCurrent'))] : []),
      ...(resolved === null
        ? []
        : [nested(resolved, { ...leaves('uri', 'collection'), ...titlesOf(reference, subjects) })]),
    ]
  })
  return mergeSelections(selections)
}

/** The title of each collection that the reference may lead to, under one name. */
function titlesOf({ targets }: Reference, subjects: Subjects): Selection {
  const possible = targets === null ? subjects.all : targets.flatMap((nsid) => subjects.of(nsid) ?? [])
  const titles = possible.flatMap(({ collection, fields, roles }) => {
    const [step, ...more] = fields.get(roles.title ?? '')?.steps ?? []
    return step === undefined || more.length > 0
      ? []
      : [nested([onType(collection.typeName), `title: ${step.name}`])]
  })
  return mergeSelections(titles.slice(0, mostTitles))
}

const mostTitles = 20

interface ReferenceFields {
  readonly own: readonly string[]
  /** To the record behind it; null where a property has the name of that field. */
  readonly resolved: readonly string[] | null
}

/** Null if an array or a union lies in the way that has no such field. */
function fieldsTo({ fields }: ObjectType, [property, ...rest]: readonly string[]): ReferenceFields | null {
  const field = fields.find((each) => each.property === property)
  if (field === undefined) return null
  const { name } = field
  const record = resolvedName(fields, name)
  if (rest.length === 0) return { own: [name], resolved: record === null ? null : [record] }
  const held = elementOf(field.type)
  const inside = held.kind === 'object' ? fieldsTo(held.type, rest) : null
  return inside && { own: [name, ...inside.own], resolved: inside.resolved && [name, ...inside.resolved] }
}

/** Reads what `selectReferences` selects of a record; never the JSON of a record, which may claim anything. */
export function readReferences(record: object) {
  const titles = new Map<string, string | null>()
  const versions = new Map<string, boolean | null>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const { uri, collection, title, cid, isCurrent } = value as Readonly<Record<string, unknown>>
    if (typeof uri === 'string' && typeof collection === 'string')
      return void titles.set(uri, typeof title === 'string' && title.trim() !== '' ? title : null)
    if (typeof uri === 'string' && typeof cid === 'string')
      return void versions.set(`${cid} ${uri}`, typeof isCurrent === 'boolean' ? isCurrent : null)
    visitMembers(value)
  }
  const visitMembers = (value: object): void => {
    for (const [name, inner] of Object.entries(value)) if (name !== 'recordJson') visit(inner)
  }
  visitMembers(record)
  return {
    /** Null where the record is not indexed or has no title. */
    titleOf: (uri: string) => titles.get(uri) ?? null,
    isIndexed: (uri: string) => titles.has(uri),
    /** Whether the indexed record is the version with that CID; null where it is not known. */
    isCurrent: (uri: string, cid: string) => versions.get(`${cid} ${uri}`) ?? null,
  }
}
