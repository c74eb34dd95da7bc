/** Finds example paths that exist in the served collections, for descriptions of tools and for errors. */
import type { Collection, Field } from '../../schema/model/model.ts'
import { isScore, type Subject } from '../../ask/collections.ts'
import { reverseNames, type SchemaContext, referencedFrom } from '../../ask/paths.ts'

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
  const [forward = null] = subjects.values().flatMap(({ collection }) => forwardsOf(collection, context))
  const [reverse = null] = subjects.values().flatMap((subject) => reversesOf(subject, context))
  const fields = subjects.flatMap(({ collection }) => collection.type.fields)
  const measured = fields.find(isScore) ?? fields.find(({ type }) => type.kind === 'integer')
  const timed = subjects.find(({ time }) => time !== 'indexedAt')
  return {
    forward,
    reverse,
    bucket: `"${timed?.time ?? 'indexedAt'}:week"`,
    measure: measured === undefined ? null : `"avg:${measured.name}"`,
  }
}

function forwardsOf(collection: Collection, context: SchemaContext): string[] {
  return referencedFrom(collection, context).flatMap(([name, target]) => {
    const { fields } = target.type
    const inside = fields.find(isCategorical) ?? fields[0]
    return target === collection || inside === undefined ? [] : [`"${name}.${inside.name}"`]
  })
}

function reversesOf({ collection, label }: Subject, context: SchemaContext): string[] {
  return [...reverseNames(collection, context)].flatMap(([reference, name]) => {
    const { collection: holder } = context.catalogue.of(reference.collection)
    const field = holder.type.fields.find(isScore) ?? holder.type.fields.find(isCategorical)
    const isOther = holder !== collection && reference.target === collection.nsid
    return isOther && field !== undefined ? [`"${name}.${field.name}" from ${label}`] : []
  })
}

function isCategorical({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical
}
