/**
 * What a lexicon says about its records, as far as conditions, orders and groups care.
 * A second, small reading of the documents, on purpose not the program's own.
 */

/** Lexicon documents and records are read as the plain JSON they are. */
export type Json = any
export type References = Readonly<Record<string, readonly string[]>>

export type Kind =
  | { readonly kind: 'string'; readonly sortable: boolean; readonly lexicon: Json }
  | { readonly kind: 'integer'; readonly bits: 32 | 53; readonly lexicon: Json }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'datetime' }
  | ReferenceKind
  /** Lazy, because objects may be circular. */
  | {
      readonly kind: 'object'
      readonly def: string
      readonly required: readonly string[]
      readonly fields: () => readonly Field[]
    }
  | { readonly kind: 'array'; readonly of: Kind }
  | { readonly kind: 'blob' | 'bytes' | 'cidLink' | 'unknown' }
  | { readonly kind: 'union'; readonly members: readonly string[]; readonly closed: boolean }

export interface ReferenceKind {
  readonly kind: 'reference'
  readonly link: 'strongRef' | 'atUri'
  /** Null when references.json has no entry. */
  readonly targets: readonly string[] | null
  /** The one declared target, when there is exactly one. */
  readonly target: string | null
  /** The target whose own fields a condition on this reference may name; see `referenceKind`. */
  readonly asked: string | null
}

export interface Field {
  readonly name: string
  readonly property: string
  readonly nullable: boolean
  readonly kind: Kind
}

export interface Shape {
  readonly nsid: string
  readonly typeName: string
  readonly rootField: string
  readonly fields: readonly Field[]
  /** Properties that every new record must have. */
  readonly required: readonly string[]
  /** Every reference outside unions, with the properties that lead to it. */
  readonly references: readonly HeldReference[]
}

export interface HeldReference {
  readonly collection: string
  readonly path: readonly string[]
  readonly kind: ReferenceKind
  /** The reverse field on the records it points to. */
  readonly viaField: string
}

export type Shapes = ReadonlyMap<string, Shape>

/** By collection, which properties stories are derived of: the content of `stories.json`. */
export type Stories = Readonly<Record<string, Json>>

export function createShapes(
  documents: readonly Json[],
  references: References,
  stories: Stories = {},
): Shapes {
  const shapes = new Map<string, Shape>()
  for (const document of documents) {
    if (document.defs.main?.type !== 'record') continue
    const typeName = typeNameOf(document.id)
    const rootField = typeName.slice(0, 1).toLowerCase() + typeName.slice(1)
    const own = fieldsOf(document.defs.main.record, document.id, [], reservedNames, {
      documents,
      references,
      nsid: document.id,
    })
    const fields = stories[document.id] === undefined ? own : [...own, storyField(document.id)]
    const held = [...referencesIn(fields, [], [])].map(({ path, kind }) => ({
      collection: document.id,
      path,
      kind,
      viaField: `${rootField}Via${path.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join('')}`,
    }))
    const required = document.defs.main.record.required ?? []
    shapes.set(document.id, { nsid: document.id, typeName, rootField, fields, required, references: held })
  }
  return shapes
}

/** The name of the field, which no property may have here. */
export const story = 'story'

function storyField(nsid: string): Field {
  const kind: Kind = { kind: 'reference', link: 'atUri', targets: [nsid], target: nsid, asked: nsid }
  return { name: story, property: story, nullable: false, kind }
}

export function typeNameOf(origin: string): string {
  const parts = origin.split(/[.\-#]/)
  return parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join('')
}

/** Names a record type has for itself; a property of that name becomes `record_<name>`. */
const reservedNames = Object.values({
  system: [
    'id',
    'uri',
    'cid',
    'rev',
    'did',
    'actorHandle',
    'rkey',
    'collection',
    'indexedAt',
    'changedAt',
    'recordJson',
  ],
  conditions: ['AND', 'OR', 'NOT', 'isNull', 'isIndexed'],
  groups: ['count', 'avg', 'sum', 'min', 'max', 'countDistinct', 'significance'],
}).flat()

interface Reading {
  readonly documents: readonly Json[]
  readonly references: References
  readonly nsid: string
}

function fieldsOf(
  object: Json,
  base: string,
  path: readonly string[],
  reserved: readonly string[],
  reading: Reading,
): Field[] {
  return Object.entries<Json>(object.properties ?? {}).map(([property, definition]) => ({
    name: reserved.includes(property) ? `record_${property}` : property,
    property,
    nullable: object.nullable?.includes(property) === true,
    kind: kindOf(definition, base, [...path, property], reading),
  }))
}

function kindOf(definition: Json, base: string, path: readonly string[], reading: Reading): Kind {
  switch (definition.type) {
    case 'string':
      if (definition.format === 'datetime') return { kind: 'datetime' }
      if (definition.format === 'at-uri') return referenceKind('atUri', path, reading)
      return { kind: 'string', sortable: isBounded(definition), lexicon: definition }
    case 'integer':
      return { kind: 'integer', bits: fits32(definition) ? 32 : 53, lexicon: definition }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return { kind: 'array', of: kindOf(definition.items, base, path, reading) }
    case 'object':
      return objectKind(definition, `${base}.${path.join('.')}`, base, path, reading)
    case 'ref': {
      const full = fullRef(definition.ref, base)
      if (full === 'com.atproto.repo.strongRef#main') return referenceKind('strongRef', path, reading)
      const [nsid = '', def = ''] = full.split('#')
      const target = reading.documents.find((document) => document.id === nsid)?.defs[def]
      if (target === undefined) throw new Error(`There is no ${full}.`)
      if (target.type === 'record') return objectKind(target.record, full, nsid, path, reading)
      if (target.type !== 'object') return kindOf(target, nsid, path, reading)
      return objectKind(target, full, nsid, path, reading)
    }
    case 'union':
      return {
        kind: 'union',
        members: definition.refs.map((ref: string) => fullRef(ref, base)),
        closed: definition.closed === true,
      }
    case 'bytes':
      return { kind: 'bytes' }
    case 'cid-link':
      return { kind: 'cidLink' }
    case 'blob':
      return { kind: 'blob' }
    case 'unknown':
      return { kind: 'unknown' }
    default:
      throw new Error(`The reference evaluator does not know the lexicon type ${definition.type}.`)
  }
}

function objectKind(
  definition: Json,
  def: string,
  base: string,
  path: readonly string[],
  reading: Reading,
): Kind {
  let known: readonly Field[] | undefined
  const fields = () => (known ??= fieldsOf(definition, base, path, [], reading))
  return { kind: 'object', def, required: definition.required ?? [], fields }
}

function fullRef(ref: string, base: string): string {
  if (ref.startsWith('#')) return `${base}${ref}`
  return ref.includes('#') ? ref : `${ref}#main`
}

function isBounded(definition: Json): boolean {
  return (
    definition.format !== undefined ||
    definition.knownValues !== undefined ||
    definition.enum !== undefined ||
    (definition.maxLength ?? Number.POSITIVE_INFINITY) <= 5000
  )
}

function fits32(definition: Json): boolean {
  return (definition.minimum ?? -Infinity) >= -(2 ** 31) && (definition.maximum ?? Infinity) < 2 ** 31
}

function referenceKind(
  link: 'strongRef' | 'atUri',
  path: readonly string[],
  reading: Reading,
): ReferenceKind {
  const targets = reading.references[`${reading.nsid}#${path.join('.')}`] ?? null
  const target = targets?.length === 1 ? (targets[0] ?? null) : null
  return { kind: 'reference', link, targets, target, asked: target }
}

function* referencesIn(
  fields: readonly Field[],
  path: readonly string[],
  inside: readonly string[],
): Iterable<{ path: readonly string[]; kind: ReferenceKind }> {
  for (const field of fields) {
    const here = [...path, field.property]
    const kind = innermost(field.kind)
    if (kind.kind === 'reference') yield { path: here, kind }
    if (kind.kind === 'object' && !inside.includes(kind.def)) {
      yield* referencesIn(kind.fields(), here, [...inside, kind.def])
    }
  }
}

/** What an array, or an array of arrays, finally holds. */
export function innermost(kind: Kind): Kind {
  return kind.kind === 'array' ? innermost(kind.of) : kind
}
