/** Finds references, every strongRef and at-uri outside unions with its declared targets, and unserved targets. */
import { collectionsOf, referencesFile } from '../../lexicon/document.ts'
import type { LexiconSet } from '../../lexicon/lexicons.ts'
import { nearest } from '../../util/text/nearest.ts'
import type { Collection, FieldType, ObjectType, Reference } from './model.ts'
import { viaFieldOf } from './naming.ts'

type Origin = Pick<Collection, 'nsid' | 'rootField' | 'type'>

/** Keys of `targets` are `nsid#path.of.properties`; a target that is not among `served` gets no reverse field. */
export function buildReferences(
  collection: Origin,
  targets: ReadonlyMap<string, readonly string[]>,
  served: readonly Origin[],
): Reference[] {
  const found: Reference[] = []
  const visit = (
    type: FieldType,
    path: readonly string[],
    many: boolean,
    inside: readonly ObjectType[],
  ): void => {
    if (type.kind === 'strongRef' || type.kind === 'atUri') found.push(reference(path, type.kind, many))
    else if (type.kind === 'array') visit(type.of, path, true, inside)
    else if (type.kind === 'object' && !inside.includes(type.type))
      for (const field of type.type.fields)
        visit(field.type, [...path, field.property], many, [...inside, type.type])
  }
  const reference = (path: readonly string[], kind: 'strongRef' | 'atUri', many: boolean): Reference => {
    const declared = targets.get(`${collection.nsid}#${path.join('.')}`) ?? null
    const only = declared?.length === 1 ? declared[0] : undefined
    return {
      collection: collection.nsid,
      path,
      kind,
      many,
      targets: declared,
      target: served.find((it) => it.nsid === only)?.nsid ?? null,
      viaField: viaFieldOf(collection.rootField, path),
    }
  }
  visit({ kind: 'object', type: collection.type }, [], false, [])
  return unique(found)
}

/** A target without a lexicon is allowed, but may be misspelt: one sentence each. */
export function unservedTargets({ documents, targets }: Pick<LexiconSet, 'documents' | 'targets'>): string[] {
  const served = collectionsOf({ documents })
  const sentenceOf = (key: string, target: string): string => {
    const similar = nearest(target, served)
    const guess = similar === null ? '' : ` Did you mean "${similar}"?`
    return `${referencesFile}: ${key}: "${target}" has no lexicon here, so its records are not served.${guess} Add the lexicon, unless this is meant.`
  }
  return [...targets].flatMap(([key, all]) =>
    all.filter((target) => !served.includes(target)).map((target) => sentenceOf(key, target)),
  )
}

/** Two paths may give one name (`a.b` and `aB`); a `_` is appended to the later one in the lexicon's order. */
function unique(references: readonly Reference[]): Reference[] {
  const taken = new Set<string>()
  return references.map((reference) => {
    let { viaField } = reference
    while (taken.has(viaField)) viaField += '_'
    taken.add(viaField)
    return { ...reference, viaField }
  })
}
