/** The references of a record: what is asked about the records behind them, and what the answer says. */
import { getNamedType, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import type { ObjectType, Reference } from '../../schema/model/model.ts'
import type { Subject } from '../fields/subject.ts'
import type { Site } from '../page.ts'

/** What is known about the records that a page refers to. */
export interface References {
  /** Null where the record is not indexed or has no title. */
  readonly titleOf: (uri: string) => string | null
  readonly isIndexed: (uri: string) => boolean
  /** Whether the indexed record is the version with that CID; null where it is not known. */
  readonly isCurrent: (uri: string, cid: string) => boolean | null
}

/** GraphQL for the title of the record behind each reference, and for whether it is the current version. */
export function selectReferences({ collection }: Subject, site: Site): string {
  const tree: Tree = new Map()
  for (const reference of collection.references) {
    const names = namesOf(collection.type, reference.path)
    if (names !== null) addReference(tree, names, reference, collection.typeName, site)
  }
  return print(tree)
}

/** Selections by name; a text is a whole selection. */
type Tree = Map<string, Tree | string>

function addReference(
  tree: Tree,
  names: readonly string[],
  reference: Reference,
  typeName: string,
  site: Site,
): void {
  const name = names.at(-1) ?? ''
  let at = tree
  for (const each of names.slice(0, -1)) {
    const inner = at.get(each)
    const next: Tree = inner instanceof Map ? inner : new Map()
    at.set(each, next)
    at = next
  }
  if (reference.kind === 'strongRef') at.set(name, 'uri cid isCurrent')
  if (leadsToRecords(site.schema, typeName, [...names.slice(0, -1), `${name}Resolved`]))
    at.set(`${name}Resolved`, `uri collection ${titlesOf(reference, site)}`.trim())
}

/** The title of each collection that the reference may lead to, under one name. */
function titlesOf({ targets }: Reference, { subjects }: Site): string {
  const possible = targets === null ? subjects.all : targets.flatMap((nsid) => subjects.of(nsid) ?? [])
  return possible
    .flatMap(({ collection, fields, roles }) => {
      const field = roles.title === null ? undefined : fields.get(roles.title)
      return field === undefined || field.steps.length !== 1
        ? []
        : [`... on ${collection.typeName} { title: ${field.steps[0]?.name} }`]
    })
    .slice(0, mostTitles)
    .join(' ')
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

function print(tree: Tree): string {
  return [...tree]
    .map(([name, inner]) => `${name} { ${typeof inner === 'string' ? inner : print(inner)} }`)
    .join(' ')
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
