/** Finds example paths that exist in the served collections, for descriptions of tools and for errors. */
import type { Collection, Field } from '../../schema/model/model.ts'
import { holderOf, targetOf } from '../../schema/model/operators.ts'
import { isScore, type Subject } from './collections.ts'
import { reverseNames, type SchemaContext } from '../filters/paths.ts'

export interface Examples {
  /** Such as `"source.country"`. */
  readonly forward: string | null
  /** A field of a referring record, such as `"enrichment.impactLevel" from article`. */
  readonly reverse: string | null
  /** Such as `"publishedAt:week"`. */
  readonly bucket: string
  /** Such as `"avg:impactLevel"`. */
  readonly measure: string | null
}

export function findExamples(context: SchemaContext): Examples {
  const { subjects } = context.catalogue
  const score = first(subjects, ({ collection }) => collection.type.fields.find(isScore))
  const number = first(subjects, ({ collection }) => collection.type.fields.find(isInteger))
  const timed = subjects.find(({ time }) => time !== 'indexedAt')
  const measured = score ?? number
  return {
    forward: first(subjects, ({ collection }) => forwardOf(collection, context)),
    reverse: first(subjects, (subject) => reverseOf(subject, context)),
    bucket: `"${timed?.time ?? 'indexedAt'}:week"`,
    measure: measured === null ? null : `"avg:${measured.name}"`,
  }
}

function first<From, Found>(all: readonly From[], find: (one: From) => Found | undefined): Found | null {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return null
}

function forwardOf(collection: Collection, { catalogue }: SchemaContext): string | undefined {
  for (const reference of collection.references) {
    const target = targetOf(reference, catalogue.model)
    if (target === null || target === collection || reference.many || reference.path.length > 1) continue
    const field = collection.type.fields.find(({ property }) => property === reference.path[0])
    const inside = target.type.fields.find(isCode) ?? target.type.fields[0]
    if (field !== undefined && inside !== undefined) return `"${field.name}.${inside.name}"`
  }
  return undefined
}

function reverseOf({ collection, label }: Subject, context: SchemaContext): string | undefined {
  for (const [reference, name] of reverseNames(collection, context)) {
    const holder = holderOf(reference, context.catalogue.model)
    if (holder === collection || reference.target !== collection.nsid) continue
    const field = holder.type.fields.find(isScore) ?? holder.type.fields.find(isCode)
    if (field !== undefined) return `"${name}.${field.name}" from ${label}`
  }
  return undefined
}

function isCode({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical
}

function isInteger({ type }: Field): boolean {
  return type.kind === 'integer'
}

/** A filter on a value that the lexicon lists, such as `{"sentiment": "negative"}`. */
export function filterExample({ type }: Collection): string {
  const named = type.fields.find(({ constraints }) => constraints.values.length > 0)
  if (named !== undefined) return JSON.stringify({ [named.name]: named.constraints.values[0] })
  const [any] = type.fields
  return any === undefined ? '{"indexedAt": "today"}' : JSON.stringify({ [any.name]: { isNull: false } })
}
