/** Finds example paths that exist in the served collections, for descriptions of tools and for errors. */
import type { Collection } from '../../schema/model/model.ts'
import { isCategorical, isScore, type Subject } from '../../ask/collections.ts'
import { reverseNames, type SchemaContext, referencedFrom } from '../../ask/paths.ts'

/**
 * `forward`: such as `"source.country"`; `reverse`: a field of a referring record, such as
 * `"enrichment.impactLevel" from article`; `bucket`: such as `"publishedAt:week"`; `measure`: such as
 * `"avg:impactLevel"`. Null if there is none.
 */
export function findExamples(context: SchemaContext) {
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
