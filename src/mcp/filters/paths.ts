/**
 * Parses dotted paths from a record to a value, through objects, references and reverse references: `language`,
 * `source.country`, `enrichment.impactLevel`. filters.ts, fields.ts and groups.ts turn them into GraphQL.
 */
import type { GraphQLSchema } from 'graphql'
import {
  type Collection,
  type Field,
  type ObjectType,
  type Reference,
  systemFields,
} from '../../schema/model/model.ts'
import { holderOf, type ObjectPath, targetOf } from '../../schema/model/operators.ts'
import { nearest } from '../../util/text/nearest.ts'
import { type Catalogue, lastPart } from '../words/collections.ts'
import { ToolError } from '../tools/tool.ts'

/** One step of a path. */
export type Step =
  | { readonly kind: 'object'; readonly field: Field; readonly many: boolean }
  /** `on` is the GraphQL type that has the field. */
  | {
      readonly kind: 'reference'
      readonly field: Field
      readonly many: boolean
      readonly target: Collection
      readonly on: string
    }
  | { readonly kind: 'reverse'; readonly reference: Reference; readonly holder: Collection }

/** The last part of a path. */
export type End =
  | { readonly kind: 'system'; readonly name: string }
  | {
      readonly kind: 'property'
      readonly field: Field
      readonly reference: Reference | null
      readonly on: string
    }
  /** A property of the reference itself, whether or not its record is indexed. */
  | { readonly kind: 'aspect'; readonly field: Field; readonly name: ReferenceOperator }
  /** The referring records of the last step, which is a reverse reference. */
  | { readonly kind: 'records' }

export type ReferenceOperator = 'uri' | 'isCurrent' | 'isIndexed'

export interface Path {
  readonly text: string
  readonly from: Collection
  readonly steps: readonly Step[]
  readonly end: End
}

export interface SchemaContext {
  readonly catalogue: Catalogue
  readonly schema: GraphQLSchema
}

/** The value that the next part of a path applies to. */
type PathPosition =
  | { readonly kind: 'record'; readonly collection: Collection }
  | { readonly kind: 'object'; readonly type: ObjectType; readonly place: ObjectPath | null }
  | { readonly kind: 'reference'; readonly field: Field; readonly reference: Reference | null }

/** Longer paths only revisit collections. */
const mostParts = 12

/** Throws a ToolError that names the nearest path. */
export function parsePath(text: string, from: Collection, context: SchemaContext): Path {
  const steps: Step[] = []
  let position: PathPosition = { kind: 'record', collection: from }
  const parts = text.trim().split('.', mostParts + 1)
  if (parts.length > mostParts)
    throw new ToolError(`"${text.slice(0, 80)}…" is too long a path: one has at most ${mostParts} parts.`)
  for (const [at, part] of parts.entries()) {
    const passed = parts.slice(0, at)
    const isLast = at === parts.length - 1
    const found = look(part, position, context)
    if (found === null) throw unknownName(text, part, passed, position, from, context)
    if (found.kind === 'reverse') {
      steps.push(found)
      position = { kind: 'record', collection: found.holder }
      if (isLast) return { text, from, steps, end: { kind: 'records' } }
      continue
    }
    if (found.kind !== 'property' || isLast) return finished(text, from, steps, found, parts.slice(at + 1))
    const [step, next] = enter(found, parts[at + 1] ?? '', text, position, context)
    if (step === null) {
      const referenceOperator: End = { kind: 'aspect', field: found.field, name: next as ReferenceOperator }
      return finished(text, from, steps, referenceOperator, parts.slice(at + 2))
    }
    steps.push(step)
    position = next as PathPosition
  }
  throw new Error('A path has at least one part.')
}

function finished(
  text: string,
  from: Collection,
  steps: readonly Step[],
  end: End,
  rest: readonly string[],
): Path {
  if (rest.length === 0) return { text, from, steps, end }
  const shorter = text.trim().slice(0, -rest.join('.').length - 1)
  throw new ToolError(`"${shorter}" has no fields of its own: write it without ".${rest.join('.')}".`)
}

type Found = Extract<Step, { kind: 'reverse' }> | Exclude<End, { kind: 'records' }>

function look(part: string, position: PathPosition, context: SchemaContext): Found | null {
  if (position.kind === 'reference') return null
  const { fields } = position.kind === 'record' ? position.collection.type : position.type
  // GraphQL names take precedence, because a property may have the name of a system field.
  const named = fields.find(({ name }) => name === part)
  if (named === undefined && position.kind === 'record' && isSystem(part))
    return { kind: 'system', name: part }
  const field = named ?? fields.find(({ property }) => property === part)
  if (field !== undefined)
    return { kind: 'property', field, reference: referenceAt(position, field), on: typeNameOf(position) }
  return position.kind === 'record' ? (reverseSteps(position.collection, context).get(part) ?? null) : null
}

function typeNameOf(position: Exclude<PathPosition, { kind: 'reference' }>): string {
  return position.kind === 'record' ? position.collection.typeName : position.type.name
}

function placeOf(position: Exclude<PathPosition, { kind: 'reference' }>): ObjectPath | null {
  return position.kind === 'record' ? { collection: position.collection, path: [] } : position.place
}

function referenceAt(
  position: Exclude<PathPosition, { kind: 'reference' }>,
  { property }: Field,
): Reference | null {
  const place = placeOf(position)
  const path = [...(place?.path ?? []), property]
  const same = (reference: Reference) =>
    reference.path.length === path.length && path.every((part, at) => reference.path[at] === part)
  return place?.collection.references.find(same) ?? null
}

/** Steps into an object or along a reference; no step if the next part is an operator of the reference itself. */
function enter(
  found: Extract<End, { kind: 'property' }>,
  next: string,
  text: string,
  position: PathPosition,
  { catalogue }: SchemaContext,
): [Step, PathPosition] | [null, ReferenceOperator] {
  const { field, reference, on } = found
  const many = field.type.kind === 'array'
  const type = field.type.kind === 'array' ? field.type.of : field.type
  if (type.kind === 'object') {
    const above = position.kind === 'reference' ? null : placeOf(position)
    const place = above && { collection: above.collection, path: [...above.path, field.property] }
    return [
      { kind: 'object', field, many },
      { kind: 'object', type: type.type, place },
    ]
  }
  if (type.kind !== 'strongRef' && type.kind !== 'atUri')
    throw new ToolError(
      type.kind === 'union' || type.kind === 'unknown'
        ? `What is inside "${field.name}" has no one shape, so "${text}" is no path: read whole records with detail "full", or use run_graphql.`
        : `"${field.name}" is ${wordOf(type.kind)} and has nothing inside: write "${text.slice(0, text.lastIndexOf(`.${next}`))}".`,
    )
  if (
    isReferenceOperator(next) &&
    !(many && type.kind === 'atUri') &&
    !(type.kind === 'atUri' && next === 'isCurrent')
  )
    return [null, next]
  const target = targetOf(reference, catalogue.model)
  if (target === null)
    throw new ToolError(
      `The lexicons do not say one collection that "${field.name}" refers to, so "${text}" is no path. Write "${field.name}" with a URI, or use run_graphql.`,
    )
  return [
    { kind: 'reference', field, many, target, on },
    { kind: 'record', collection: target },
  ]
}

export function wordOf(kind: Field['type']['kind']): string {
  const words = { integer: 'an integer', array: 'a list', object: 'an object', atUri: 'a reference' } as const
  if (kind === 'strongRef') return words.atUri
  return Object.hasOwn(words, kind) ? words[kind as keyof typeof words] : `a ${kind}`
}

function isSystem(name: string): boolean {
  return (systemFields as readonly string[]).includes(name)
}

function isReferenceOperator(name: string): name is ReferenceOperator {
  return name === 'uri' || name === 'isCurrent' || name === 'isIndexed'
}

/** By every unambiguous name: the whole field, its end such as `enrichmentViaArticle`, and the collection. */
export function reverseSteps(
  { typeName }: Collection,
  { schema, catalogue }: SchemaContext,
): ReadonlyMap<string, Extract<Step, { kind: 'reverse' }>> {
  const type = schema.getType(typeName)
  const fields = type !== undefined && 'getFields' in type ? Object.values(type.getFields()) : []
  const names = new Map<string, Extract<Step, { kind: 'reverse' }> | null>()
  for (const { extensions } of fields) {
    const { role } = extensions as { role?: { kind: string; reference?: Reference } }
    if (role?.kind !== 'reverse' || role.reference === undefined) continue
    const { reference } = role
    const holder = holderOf(reference, catalogue.model)
    const short = lastPart(holder.nsid)
    const via = reference.viaField.slice(holder.rootField.length)
    const step = { kind: 'reverse' as const, reference, holder }
    for (const name of [short, `${short}${via}`, reference.viaField])
      names.set(name, names.has(name) ? null : step)
  }
  return new Map([...names].flatMap(([name, step]) => (step === null ? [] : [[name, step] as const])))
}

/** The shortest name of each reverse reference that no property of the collection has. */
export function reverseNames(collection: Collection, context: SchemaContext): ReadonlyMap<Reference, string> {
  const shortest = new Map<Reference, string>()
  for (const [name, { reference }] of reverseSteps(collection, context))
    if (!shortest.has(reference) && !collection.type.fields.some((field) => field.name === name))
      shortest.set(reference, name)
  return shortest
}

function namesAt(position: PathPosition, context: SchemaContext): readonly string[] {
  if (position.kind === 'reference') return []
  if (position.kind === 'object') return position.type.fields.map(({ name }) => name)
  const own = position.collection.type.fields.map(({ name }) => name)
  return [...own, ...reverseNames(position.collection, context).values(), ...systemFields]
}

function unknownName(
  text: string,
  part: string,
  passed: readonly string[],
  position: PathPosition,
  from: Collection,
  context: SchemaContext,
): ToolError {
  const names = namesAt(position, context)
  const place = passed.length === 0 ? context.catalogue.of(from.nsid).label : passed.join('.')
  const wrong = `${place} has no field "${part.slice(0, 80)}"`
  const instead = (name: string) => [...passed, name].join('.')
  const beside = position.kind === 'record' ? besides(part, position.collection, context) : []
  if (beside.length > 0)
    return new ToolError(`${wrong}. Write ${beside.map((path) => `"${instead(path)}"`).join(' or ')}.`)
  const near = nearestPath(part, position, names, context)
  if (near !== null) return new ToolError(`${wrong}. Did you mean "${instead(near)}"?`)
  const shown = names.slice(0, 30).join(', ')
  return new ToolError(
    passed.length > 0 || text.length > 80
      ? `${wrong}. It has: ${shown}.`
      : `${wrong}. It has: ${shown}; see describe.`,
  )
}

/** The field with the most similar name, here or one step away; or a field here whose name contains the part. */
function nearestPath(
  part: string,
  position: PathPosition,
  names: readonly string[],
  context: SchemaContext,
): string | null {
  const own = nearest(part, names)
  const away = position.kind === 'record' ? neighbours(position.collection, context) : []
  const beyond = away.flatMap(([name, { type }]) => type.fields.map((field) => [field.name, name] as const))
  const all = new Map(beyond.toReversed().map(([field, name]) => [field, `${name}.${field}`]))
  const best = nearest(part, [...names, ...all.keys()])
  if (best !== null && !names.includes(best)) return all.get(best) ?? null
  return own ?? names.find((name) => name.toLowerCase().includes(part.toLowerCase())) ?? null
}

/** The collections one step away, with the name of the step. */
function neighbours(collection: Collection, context: SchemaContext): (readonly [string, Collection])[] {
  const { model } = context.catalogue
  const led = collection.references.flatMap((reference) => {
    const target = targetOf(reference, model)
    const { path, many } = reference
    const field = collection.type.fields.find(({ property }) => path.length === 1 && property === path[0])
    return target === null || many || field === undefined ? [] : [[field.name, target] as const]
  })
  const referring = Array.from(
    reverseNames(collection, context),
    ([reference, name]) => [name, holderOf(reference, model)] as const,
  )
  return [...led, ...referring]
}

/** Paths to fields with exactly that name, one or two steps away. */
function besides(part: string, from: Collection, context: SchemaContext): string[] {
  const seen = new Set([from])
  const round = (spots: readonly (readonly [prefix: string, collection: Collection])[]) =>
    spots.flatMap(([prefix, collection]) =>
      neighbours(collection, context)
        .filter(([, next]) => !seen.has(next) && seen.add(next))
        .map(([name, next]) => [`${prefix}${name}.`, next] as const),
    )
  const first = round([['', from]])
  for (const spots of [first, round(first)]) {
    const found = spots.filter(([, { type }]) => type.fields.some(({ name }) => name === part))
    if (found.length > 0) return found.slice(0, 3).map(([prefix]) => `${prefix}${part}`)
  }
  return []
}
