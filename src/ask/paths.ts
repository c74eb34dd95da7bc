/**
 * Parses dotted paths from a record to a value, through objects, references and reverse references: `language`,
 * `source.country`, `enrichment.impactLevel`. filters.ts, fields.ts and groups.ts turn them into GraphQL.
 */
import type { GraphQLSchema } from 'graphql'
import {
  type Collection,
  type Field,
  type FieldType,
  type ObjectType,
  type Reference,
  type SystemField,
  systemFields,
} from '../schema/model/model.ts'
import { leafType } from '../schema/model/leaves.ts'
import { groupFields, holderOf, targetOf, wherePath } from '../schema/model/operators.ts'
import { nearest } from '../util/text/nearest.ts'
import { lastPart } from '../schema/model/naming.ts'
import type { Catalogue } from './collections.ts'
import { AskError, didYouMean } from './ask-error.ts'

/** One step from a record towards a value. */
export type Step = InnerStep | RecordStep

interface Member {
  /** The member of `where`, and of records unless a reference leads to another one. */
  readonly name: string
  /** Whether it leads to several: elements of an array, or records that refer. Their conditions are inside `some`. */
  readonly some: boolean
}

interface InnerStep extends Member {
  readonly kind: 'object' | 'value'
  readonly record: null
}

export interface RecordStep extends Member {
  readonly kind: 'reference' | 'reverse'
  readonly reference: Reference
  /** The collection of the records that the step leads to. */
  readonly record: Collection
}

/** The last part of a path. */
export type End =
  | { readonly kind: 'system'; readonly field: Pick<Field, 'name' | 'type'> }
  | { readonly kind: 'property'; readonly field: Field; readonly reference: Reference | null }
  /** A property of the reference itself, whether or not its record is indexed. */
  | {
      readonly kind: 'operator'
      readonly field: Field
      readonly name: ReferenceOperator
      readonly reference: Reference | null
    }
  /** The referring records of the last step, or how many there are. */
  | { readonly kind: 'records'; readonly last: RecordStep; readonly isCount: boolean }

const referenceOperators = ['uri', 'isCurrent', 'isIndexed'] as const
type ReferenceOperator = (typeof referenceOperators)[number]

export interface Path {
  readonly text: string
  readonly from: Collection
  readonly steps: readonly Step[]
  readonly end: End
}

export interface SchemaContext {
  readonly catalogue: Catalogue
  readonly schema: GraphQLSchema
  /** What to call records, by URI, where that is not their name. */
  readonly labels?: ReadonlyMap<string, string>
}

/** The record, or the object inside a record, that the next part of a path applies to. */
interface PathPosition {
  readonly collection: Collection
  /** The properties from the record to the object; empty for the record itself. */
  readonly inside: readonly string[]
  readonly type: ObjectType
}

/** Longer paths only revisit collections. */
const mostParts = 12

/** Throws an AskError that names the nearest path. */
export function parsePath(text: string, from: Collection, context: SchemaContext): Path {
  const steps: Step[] = []
  let position = recordPosition(from)
  const parts = text.trim().split('.', mostParts + 1)
  if (parts.length > mostParts)
    throw new AskError(`"${text.slice(0, 80)}…" is too long a path: one has at most ${mostParts} parts.`)
  for (const [at, part] of parts.entries()) {
    const found = look(part, position, context)
    if (found === null) {
      const named = nameInGraphql(text.trim(), from, context)
      if (named === null) throw unknownName(text, part, parts.slice(0, at), position, from, context)
      return { ...parsePath(named, from, context), text }
    }
    const rest = parts.slice(at + 1)
    const [next] = rest
    if ('record' in found) {
      steps.push(found)
      position = recordPosition(found.record)
      const isCount = next === 'count' && rest.length === 1 && look(next, position, context) === null
      if (next === undefined || isCount)
        return { text, from, steps, end: { kind: 'records', last: found, isCount } }
      continue
    }
    if (next === undefined) return { text, from, steps, end: found }
    if (found.kind === 'system') throw hasNothingInside(text, rest)
    const entered = enter(found, next, text, position, context)
    if ('end' in entered) {
      if (rest.length > 1) throw hasNothingInside(text, rest.slice(1))
      return { text, from, steps, end: entered.end }
    }
    steps.push(entered.step)
    position = entered.position
  }
  throw new Error('A path has at least one part.')
}

/** The path of a group's name, such as `source_country`; null if it is not one. */
function nameInGraphql(name: string, from: Collection, { catalogue }: SchemaContext): string | null {
  const field = groupFields(from, catalogue.model).find((one) => one.name === name && one.bucket === null)
  return field === undefined ? null : wherePath(field, catalogue.model).join('.')
}

function hasNothingInside(text: string, rest: readonly string[]): AskError {
  const shorter = text.trim().slice(0, -rest.join('.').length - 1)
  return new AskError(`"${shorter}" has no fields of its own: write it without ".${rest.join('.')}".`)
}

function recordPosition(collection: Collection): PathPosition {
  return { collection, inside: [], type: collection.type }
}

type Found = RecordStep | Extract<End, { kind: 'system' | 'property' }>

function look(
  part: string,
  { collection, inside, type }: PathPosition,
  context: SchemaContext,
): Found | null {
  const isRecord = inside.length === 0
  // GraphQL names take precedence, because a property may have the name of a system field.
  const named = type.fields.find(({ name }) => name === part)
  const system = named === undefined && isRecord ? systemFields.find((name) => name === part) : undefined
  if (system !== undefined) return { kind: 'system', field: systemField(system) }
  const field = named ?? type.fields.find(({ property }) => property === part)
  if (field !== undefined)
    return { kind: 'property', field, reference: referenceOf(collection, field, inside) }
  return isRecord ? (reverseSteps(collection, context).get(part) ?? null) : null
}

function systemField(name: SystemField): Pick<Field, 'name' | 'type'> {
  if (name === 'recordJson') return { name, type: { kind: 'unknown' } }
  return {
    name,
    type: leafType({ kind: 'system', name: name === 'changedAt' || name === 'indexedAt' ? name : 'uri' }),
  }
}

/** The reference that the field is, in the record itself or in the object inside. */
export function referenceOf(
  { references }: Collection,
  { property }: Field,
  inside: readonly string[] = [],
): Reference | null {
  const wanted = [...inside, property]
  const isWanted = ({ path }: Reference) =>
    path.length === wanted.length && path.every((part, at) => part === wanted[at])
  return references.find(isWanted) ?? null
}

/** Steps into an object or along a reference, unless the next part is an operator of the reference itself. */
function enter(
  { field, reference }: Extract<End, { kind: 'property' }>,
  next: string,
  text: string,
  { collection, inside }: PathPosition,
  { catalogue }: SchemaContext,
): { readonly step: Step; readonly position: PathPosition } | { readonly end: End } {
  const { name } = field
  const some = field.type.kind === 'array'
  const type = elementOf(field.type)
  if (type.kind === 'object')
    return {
      step: { kind: 'object', name, some, record: null },
      position: { collection, inside: [...inside, field.property], type: type.type },
    }
  if (type.kind !== 'strongRef' && type.kind !== 'atUri')
    throw new AskError(
      type.kind === 'union' || type.kind === 'unknown'
        ? `Values of "${name}" have several shapes, so "${text}" is not a path: read whole records with detail "full", or use run_graphql.`
        : `"${name}" is ${wordOf(type.kind)} and has nothing inside: write "${text.slice(0, text.lastIndexOf(`.${next}`))}".`,
    )
  const operator = referenceOperators.find((one) => one === next)
  // A plain URI has no CID to compare, and a list of them no operators.
  if (operator !== undefined && (type.kind === 'strongRef' || (!some && operator !== 'isCurrent')))
    return { end: { kind: 'operator', field, name: operator, reference } }
  const record = targetOf(reference, catalogue.model)
  if (reference !== null && record !== null)
    return { step: { kind: 'reference', name, some, reference, record }, position: recordPosition(record) }
  throw new AskError(
    `The lexicons do not name one collection that "${name}" refers to, so "${text}" is not a path. Write "${name}" with a URI, or use run_graphql.`,
  )
}

/** The collection whose records have the value at the end of the steps. */
export function holderAfter(steps: readonly Step[], from: Collection): Collection {
  return steps.findLast(({ record }) => record !== null)?.record ?? from
}

/** The members of `where` that lead to a value; null for referring records and for what follows a reference itself. */
export function memberPath({ steps, end }: Path): string | null {
  if (end.kind === 'records' || (end.kind === 'operator' && end.name !== 'uri')) return null
  return [...steps, end.field].map(({ name }) => name).join('.')
}

/** The type of an array's elements; other types themselves. */
export function elementOf(type: FieldType): FieldType {
  return type.kind === 'array' ? type.of : type
}

export function isReference(type: FieldType): boolean {
  const { kind } = elementOf(type)
  return kind === 'strongRef' || kind === 'atUri'
}

export function wordOf(kind: Field['type']['kind']): string {
  const words = { integer: 'an integer', array: 'a list', object: 'an object', atUri: 'a reference' } as const
  if (kind === 'strongRef') return words.atUri
  return Object.hasOwn(words, kind) ? words[kind as keyof typeof words] : `a ${kind}`
}

/** By every name that leads to one of them: the whole field, its end such as `enrichmentViaArticle`, and the collection. */
function reverseSteps(collection: Collection, context: SchemaContext): ReadonlyMap<string, RecordStep> {
  const single = [...reverseStepsByName(collection, context)].filter(([, steps]) => steps.length === 1)
  return new Map(single.map(([name, [step]]) => [name, step as RecordStep]))
}

function reverseStepsByName({ referredBy, type }: Collection, { catalogue }: SchemaContext) {
  const named = referredBy.flatMap((reference) => {
    const { viaField } = reference
    if (type.fields.some(({ name }) => name === viaField)) return []
    const record = holderOf(reference, catalogue.model)
    const short = lastPart(record.nsid)
    const step = { kind: 'reverse', name: viaField, some: true, reference, record } as const
    const names = new Set([short, `${short}${viaField.slice(record.rootField.length)}`, viaField])
    return Array.from(names, (name) => ({ name, step }))
  })
  const byName = Map.groupBy(named, ({ name }) => name)
  return new Map(Array.from(byName, ([name, some]) => [name, some.map(({ step }) => step)]))
}

/** The shortest name of each reverse reference that no property of the collection has. */
export function reverseNames(collection: Collection, context: SchemaContext): ReadonlyMap<Reference, string> {
  const shortest = new Map<Reference, string>()
  for (const [name, { reference }] of reverseSteps(collection, context))
    if (!shortest.has(reference) && !collection.type.fields.some((field) => field.name === name))
      shortest.set(reference, name)
  return shortest
}

function unknownName(
  text: string,
  part: string,
  passed: readonly string[],
  position: PathPosition,
  from: Collection,
  context: SchemaContext,
): AskError {
  const { collection, inside, type } = position
  const isRecord = inside.length === 0
  const own = type.fields.map(({ name }) => name)
  const names = isRecord ? [...own, ...reverseNames(collection, context).values(), ...systemFields] : own
  const holder = passed.length === 0 ? context.catalogue.of(from.nsid).label : passed.join('.')
  const wrong = `${holder} has no field "${part.slice(0, 80)}"`
  const instead = (name: string) => [...passed, name].join('.')
  const several = isRecord ? severalSteps(part, collection, context) : []
  if (several.length > 0) {
    const parts = text.trim().split('.')
    const rest = parts.slice(passed.length + 1)
    const paths = several.map((name) => `"${[instead(name), ...rest].join('.')}"`)
    return new AskError(
      `Records of ${part} refer to ${holder} in ${several.length} ways. Write ${paths.join(' or ')}.`,
    )
  }
  const elsewhere = isRecord ? pathsNearby(collection, context) : new Map<string, readonly string[]>()
  const same = elsewhere.get(part)?.slice(0, 3) ?? []
  if (same.length > 0)
    return new AskError(`${wrong}. Write ${same.map((path) => `"${instead(path)}"`).join(' or ')}.`)
  // The most similar name, here before elsewhere; or one here that contains the part.
  const best = nearest(part, [...names, ...elsewhere.keys()])
  const near =
    best !== null && !names.includes(best)
      ? elsewhere.get(best)?.[0]
      : (best ?? names.find((name) => name.toLowerCase().includes(part.toLowerCase())))
  if (near !== undefined) return new AskError(`${wrong}.${didYouMean(instead(near))}`)
  const shown = `${wrong}. It has: ${names.slice(0, 30).join(', ')}`
  return new AskError(passed.length > 0 || text.length > 80 ? `${shown}.` : `${shown}; see describe.`)
}

/** The names of the references that share the name; empty if there are not several. */
function severalSteps(name: string, collection: Collection, context: SchemaContext): readonly string[] {
  const steps = reverseStepsByName(collection, context).get(name) ?? []
  const names = reverseNames(collection, context)
  return steps.length < 2 ? [] : steps.flatMap(({ reference }) => names.get(reference) ?? [])
}

/** The collections that references of the record itself lead to, with the names of the references. */
export function referencedFrom(collection: Collection, { catalogue }: SchemaContext) {
  return collection.references.flatMap((reference) => {
    const { path, many } = reference
    const target = targetOf(reference, catalogue.model)
    const field = collection.type.fields.find(({ property }) => path.length === 1 && property === path[0])
    return target === null || many || field === undefined ? [] : [[field.name, target] as const]
  })
}

/** The paths to fields of the collections that are nearest, one or two steps away, by the names of the fields. */
export function pathsNearby(from: Collection, context: SchemaContext) {
  const found = new Map<string, readonly string[]>()
  const seen = new Set([from])
  let reached: readonly (readonly [prefix: string, collection: Collection])[] = [['', from]]
  for (let steps = 1; steps <= 2; steps++) {
    reached = reached.flatMap(([prefix, collection]) => {
      const referring = Array.from(
        reverseNames(collection, context),
        ([reference, name]) => [name, holderOf(reference, context.catalogue.model)] as const,
      )
      return [...referencedFrom(collection, context), ...referring]
        .filter(([, next]) => !seen.has(next) && seen.add(next))
        .map(([name, next]) => [`${prefix}${name}.`, next] as const)
    })
    const paths = reached.flatMap(([prefix, { type }]) => type.fields.map(({ name }) => ({ prefix, name })))
    for (const [name, some] of Map.groupBy(paths, (path) => path.name)) {
      const whole = some.map(({ prefix }) => `${prefix}${name}`)
      if (!found.has(name)) found.set(name, whole)
    }
  }
  return found
}
