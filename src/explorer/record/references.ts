/** The references of a record: what is asked about the records behind them, and what the answer says. */
import { getNamedType, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import type { ObjectType, Reference } from '../../schema/model/model.ts'
import { leaves, mergeSelections, nested, onType, type Selection } from '../../ask/graphql-text.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Site } from '../page.ts'

/** What is known about the records that a page refers to. */
export interface References {
  /** Null where the record is not indexed or has no title. */
  readonly titleOf: (uri: string) => string | null
  readonly isIndexed: (uri: string) => boolean
  /** Whether the indexed record is the version with that CID; null where it is not known. */
  readonly isCurrent: (uri: string, cid: string) => boolean | null
}

/** The title of the record behind each reference, and whether it is the current version. */
export function selectReferences({ collection }: PageSubject, site: Site): Selection {
  const selections = collection.references.flatMap((reference) => {
    const names = namesOf(collection.type, reference.path) ?? []
    const [before, name] = [names.slice(0, -1), names.at(-1)]
    if (name === undefined) return []
    const resolved = [...before, `${name}Resolved`]
    return [
      ...(reference.kind === 'strongRef' ? [nested(names, leaves('uri', 'cid', 'isCurrent'))] : []),
      ...(leadsToRecords(site.schema, collection.typeName, resolved)
        ? [nested(resolved, { ...leaves('uri', 'collection'), ...titlesOf(reference, site) })]
        : []),
    ]
  })
  return mergeSelections(selections)
}

/** The title of each collection that the reference may lead to, under one name. */
function titlesOf({ targets }: Reference, { subjects }: Site): Selection {
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

/** The GraphQL names of a path of properties; null if an array or a union lies in the way that has no such field. */
function namesOf(type: ObjectType, path: readonly string[]): readonly string[] | null {
  const [property, ...rest] = path
  const field = type.fields.find((each) => each.property === property)
  if (field === undefined) return null
  if (rest.length === 0) return [field.name]
  const held = field.type.kind === 'array' ? field.type.of : field.type
  const names = held.kind === 'object' ? namesOf(held.type, rest) : null
  return names === null ? null : [field.name, ...names]
}

/** A property may have the name of the field that would lead there; it is then no interface. */
function leadsToRecords(schema: GraphQLSchema, typeName: string, path: readonly string[]): boolean {
  let type = schema.getType(typeName)
  for (const name of path) {
    if (!isObjectType(type)) return false
    type = getNamedType(type.getFields()[name]?.type)
  }
  return isInterfaceType(type)
}

/** Reads what `selectReferences` selects of a record; never the JSON of a record, which may claim anything. */
export function readReferences(record: object): References {
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
    titleOf: (uri) => titles.get(uri) ?? null,
    isIndexed: (uri) => titles.has(uri),
    isCurrent: (uri, cid) => versions.get(`${cid} ${uri}`) ?? null,
  }
}
