/** Builds the model, with its kinds, names and references, from the record lexicons and every definition they reach. */
import { type FoundDef, isRecordLexicon, resolveRef, strongRefLexicon } from '../../lexicon/document.ts'
import type { LexiconSet } from '../../lexicon/lexicons.ts'
import { buildReferences, unservedTargets } from './build-references.ts'
import { withCoordinates } from './coordinates.ts'
import { describe } from '../graphql/describe.ts'
import type { Collection, Constraints, Field, FieldType, Model, ObjectType, SearchField } from './model.ts'
import { type StringType, systemFields, type UnionMember, type UnionType } from './model.ts'
import { buckets, generatedGroupNames, groupFields, timeParts } from './operators.ts'
import { leafName } from './leaves.ts'
import { fieldNameOf, rootFieldOf, typeNameOf } from './naming.ts'
import { stringFormat } from './string-formats.ts'

const reservedEverywhere = ['AND', 'OR', 'NOT', 'isNull', '_empty']
const reservedOnRecords = [
  'id',
  ...systemFields,
  ...reservedEverywhere,
  'isIndexed',
  'isCurrent',
  'count',
  'avg',
  'sum',
  'min',
  'max',
  'countDistinct',
  'significance',
]

/** A definition of a lexicon document; not validated here, because the loader has validated it. */
interface Definition {
  readonly type: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Definition>>
  readonly required?: readonly string[]
  readonly nullable?: readonly string[]
  readonly record?: Definition
  readonly items?: Definition
  readonly ref?: string
  readonly refs?: readonly string[]
  readonly closed?: boolean
  readonly format?: string
  readonly knownValues?: readonly string[]
  readonly enum?: readonly string[]
  readonly maxLength?: number
  readonly maxGraphemes?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly const?: unknown
  readonly [constraint: string]: unknown
}

/** Deterministic: sets with one fingerprint give one model. */
export function buildModel(lexicons: LexiconSet): Model {
  const walk = new Walk(lexicons)
  const { notes } = walk
  notes.push(...unservedTargets(lexicons))
  const bare = lexicons.documents.filter(isRecordLexicon).map((document) => ({
    nsid: document.id,
    typeName: typeNameOf(document.id),
    rootField: rootFieldOf(document.id),
    ...walk.record(document.id),
  }))
  const targets = new Map(lexicons.targets)
  for (const { nsid, stories } of bare) if (stories !== null) targets.set(`${nsid}#${stories.field}`, [nsid])
  const references = bare.flatMap((collection) => buildReferences(collection, targets, bare))
  const collections = bare.map(
    (collection): Collection => ({
      ...collection,
      searchFields: searchFieldsOf(collection.type),
      references: references.filter((reference) => reference.collection === collection.nsid),
      referredBy: references.filter((reference) => reference.targets?.includes(collection.nsid) ?? true),
    }),
  )
  const model = { collections, lexicons: lexicons.versions, notes, fingerprint: lexicons.fingerprint }
  for (const collection of collections) {
    const via = collection.referredBy.map(({ viaField }) => viaField)
    notes.push(...shadowed(collection.type, [...via, ...generatedGroupNames(collection, model)]))
    notes.push(...renamedGroups(collection, model))
  }
  for (const type of walk.objects.values()) notes.push(...shadowed(type, []))
  return model
}

/** Mutable state: object types by origin, so that circular references terminate, and one type per union. */
class Walk {
  readonly notes: string[] = []
  /** Object types that are not records. */
  readonly objects = new Map<string, ObjectType>()
  readonly #unions = new Map<Definition, UnionType>()
  readonly #lexicons: LexiconSet

  constructor(lexicons: LexiconSet) {
    this.#lexicons = lexicons
  }

  record(nsid: string): Pick<Collection, 'type' | 'stories'> {
    const definition = this.#find(nsid, nsid)?.def as Definition
    const fields = this.#fields(definition.record as Definition, nsid, reservedOnRecords)
    const type = { name: typeNameOf(nsid), origin: nsid, description: definition.description ?? '', fields }
    const grouped = this.#lexicons.stories.get(nsid)
    if (grouped === undefined) return { type, stories: null }
    const story = this.#story(fields, nsid)
    fields.push(story)
    return { type, stories: { ...grouped, field: story.name } }
  }

  /** A field or property of that name keeps it. */
  #story(own: readonly Field[], origin: string): Field {
    let name = 'story'
    while (own.some((field) => field.name === name || field.property === name)) name = `${name}_`
    if (name !== 'story') this.notes.push(`${origin}: the derived story is the field ${name}.`)
    const words = 'Derived, not in the record: the first record of the same event.'
    return {
      name,
      property: name,
      type: { kind: 'atUri' },
      mayMiss: true,
      description: words,
      constraints: { words, required: false, minimum: null, maximum: null, values: [] },
    }
  }

  #fields(definition: Definition, origin: string, reserved: readonly string[]): Field[] {
    const taken = new Set<string>()
    const fields = Object.entries(definition.properties ?? {}).map(([property, declared]): Field => {
      let name = fieldNameOf(property)
      if (reserved.includes(name)) name = `record_${name}`
      while (taken.has(name)) name = `${name}_`
      taken.add(name)
      if (name !== property) this.notes.push(`${origin}: property "${property}" is the field ${name}.`)
      const type = this.#type(declared, origin, 0, property)
      const required = definition.required?.includes(property) ?? false
      const described = this.#described(declared, origin)
      return {
        name,
        property,
        type,
        mayMiss: !required || (definition.nullable?.includes(property) ?? false),
        description: describe(described, required),
        constraints: constraintsOf(described, required),
      }
    })
    return withCoordinates(fields)
  }

  /** A `ref` without a description inherits the description of the definition that it refers to. */
  #described(definition: Definition, origin: string): Definition {
    if (definition.type !== 'ref') return definition
    const referred = this.#find(definition.ref as string, origin)?.def
    return { ...definition, description: definition.description ?? referred?.description ?? '' }
  }

  #type(definition: Definition, origin: string, depth: number, place: string): FieldType {
    switch (definition.type) {
      case 'string':
        return stringType(definition)
      case 'integer':
        return { kind: 'integer', bits: fits32(definition) ? 32 : 53, values: allowed(definition) }
      case 'boolean':
      case 'bytes':
      case 'blob':
        return { kind: definition.type }
      case 'cid-link':
        return { kind: 'cidLink' }
      case 'token':
        return stringType({ type: 'string', maxLength: 512, knownValues: [] })
      case 'array':
        return { kind: 'array', of: this.#type(definition.items as Definition, origin, depth, place) }
      case 'object':
        return { kind: 'object', type: this.#object(origin, definition) }
      case 'union':
        return this.#union(definition, origin, place)
      case 'ref':
        return this.#referred(this.#find(definition.ref as string, origin), depth)
      default:
        return { kind: 'unknown' }
    }
  }

  #find(ref: string, origin: string): FoundDef | null {
    return resolveRef(this.#lexicons, origin.replace(/#.*$/, ''), ref)
  }

  #referred(found: FoundDef | null, depth: number): FieldType {
    if (found?.origin === strongRefLexicon.id) return { kind: 'strongRef' }
    // GraphQL cannot express a chain of array definitions that refers to itself.
    if (found === null || depth > 8) return { kind: 'unknown' }
    const { origin } = found
    const definition = found.def as Definition
    if (definition.type === 'object' || definition.type === 'record')
      return { kind: 'object', type: this.#object(origin, definition) }
    return this.#type(definition, origin, depth + 1, '')
  }

  /** A record lexicon used as a nested object has no URI, so that it cannot share the record's type. */
  #object(origin: string, definition: Definition): ObjectType {
    const known = this.objects.get(origin)
    if (known !== undefined) return known
    const { type: kind, description = '', record } = definition
    const fields: Field[] = []
    const type = {
      name: `${typeNameOf(origin)}${kind === 'record' ? 'Value' : ''}`,
      origin,
      description,
      fields,
    }
    this.objects.set(origin, type)
    fields.push(
      ...this.#fields((kind === 'record' ? record : definition) as Definition, origin, reservedEverywhere),
    )
    return type
  }

  /** A union is visited twice if its record is also embedded, or if an array of it is a separate definition. */
  #union(definition: Definition, origin: string, place: string): FieldType {
    const known = this.#unions.get(definition)
    if (known !== undefined) return { kind: 'union', type: known }
    const members: UnionMember[] = []
    const type: UnionType = {
      // Lexicons do not name unions; the path of the union gives the name.
      name: `${typeNameOf(place === '' ? origin : `${origin}-${fieldNameOf(place)}`)}Union`,
      description: definition.description ?? '',
      closed: definition.closed ?? false,
      members,
    }
    this.#unions.set(definition, type)
    for (const ref of definition.refs ?? []) {
      const found = this.#find(ref, origin)
      const type = this.#referred(found, 0)
      if (found === null || members.some((it) => it.origin === found.origin)) continue
      if (type.kind === 'object') members.push({ origin: found.origin, type: type.type })
      else if (type.kind === 'strongRef') members.push({ origin: found.origin, type: 'strongRef' })
    }
    return { kind: 'union', type }
  }
}

function constraintsOf(definition: Definition, required: boolean): Constraints {
  const { description, minimum, maximum, items, knownValues, enum: values } = definition
  const element = (items ?? {}) as Definition
  const listed = knownValues ?? values ?? element.knownValues ?? element.enum ?? []
  return {
    words: description?.trim() ?? '',
    required,
    minimum: minimum ?? null,
    maximum: maximum ?? null,
    values: listed.map(String),
  }
}

function fits32({ minimum, maximum, enum: values, const: constant }: Definition): boolean {
  const listed = constant === undefined ? values : [constant]
  const bounds = listed === undefined ? [minimum, maximum] : listed
  return bounds.every((bound) => typeof bound === 'number' && bound >= -(2 ** 31) && bound < 2 ** 31)
}

function allowed({ minimum, maximum, enum: listed, const: constant }: Definition): number | null {
  if (constant !== undefined) return 1
  if (listed !== undefined) return listed.length
  return minimum === undefined || maximum === undefined ? null : Math.max(maximum - minimum + 1, 0)
}

function stringType(definition: Definition): FieldType {
  const { format, knownValues, enum: values, maxLength, maxGraphemes } = definition
  const use = stringFormat(format ?? null)
  if (use.field !== 'string') return { kind: use.field }
  const code = use.isCode || (maxLength !== undefined && maxLength <= 6)
  const listed = knownValues !== undefined || values !== undefined || definition.const !== undefined
  return {
    kind: 'string',
    format: format ?? null,
    use,
    freeText: maxGraphemes !== undefined && format === undefined && !listed,
    bounded: format !== undefined || listed || (maxLength !== undefined && maxLength <= 5000),
    categorical: listed || code,
    code,
  } satisfies StringType
}

/** Circular objects are followed once, as columns are. */
function searchFieldsOf(
  type: ObjectType,
  above: readonly Field[] = [],
  inside: readonly ObjectType[] = [],
): SearchField[] {
  if (inside.includes(type)) return []
  return type.fields.flatMap((field) => {
    const fields = [...above, field]
    if (field.type.kind === 'object') return searchFieldsOf(field.type.type, fields, [...inside, type])
    if (field.type.kind !== 'string' || !field.type.freeText) return []
    const path = fields.map(({ property }) => property)
    return [{ name: fields.map(({ name }) => name).join('_'), path, isLong: !field.type.bounded }]
  })
}

/** Notes on fields that groups call by another name, because groups have a field of that name themselves. */
function renamedGroups(collection: Collection, model: Model): string[] {
  return groupFields(collection, model).flatMap(({ name, joins, leaf, bucket }) =>
    joins.length > 0 || bucket !== null || name === leafName(leaf)
      ? []
      : [`${collection.nsid}: the field ${leafName(leaf)} is ${name} in groups.`],
  )
}

/** Notes on generated fields that are omitted because a property has their name. */
function shadowed(type: ObjectType, generated: readonly string[]): string[] {
  const properties = new Set(type.fields.map(({ name }) => name))
  const own = type.fields.flatMap(({ name, type: field }): readonly string[] => {
    const { kind } = field.kind === 'array' ? field.of : field
    if (kind === 'strongRef' || kind === 'atUri') return [`${name}Resolved`]
    return field.kind === 'datetime' ? [...buckets, ...timeParts].map((bucket) => `${name}_${bucket}`) : []
  })
  return [...new Set([...own, ...generated])]
    .filter((name) => properties.has(name))
    .map((name) => `${type.origin}: the generated field ${name} gives way to the property of that name.`)
}
