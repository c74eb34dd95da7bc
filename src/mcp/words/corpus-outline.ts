/**
 * Finds the main collections of a set of lexicons, so that the guide can use their names: the items,
 * which have the most references from and to other collections (articles), their origin (outlets), and their analysis.
 * Other lexicons give other collections, or none.
 */
import type { Collection, Field, Model, Reference } from '../../schema/model/model.ts'
import { holderOf, targetOf } from '../../schema/model/operators.ts'
import { lastPart } from '../../schema/model/naming.ts'
import type { GivenRoles } from '../../schema/model/roles.ts'
import { type Catalogue, createCatalogue, isScore } from './collections.ts'

export interface CorpusOutline {
  readonly items: Party
  /** The collection that the items refer to; null if there is none. */
  readonly origin: Party | null
  /** The collection that describes the items and refers to them; null if there is none. */
  readonly analysis: Party | null
}

/** A collection and its most useful fields. */
export interface Party {
  readonly nsid: string
  /** The collection's label in tools: the last segment of the NSID if it is unique, otherwise the NSID. */
  readonly name: string
  /** The name in sentences: `politicalOrientation` gives `political orientation`. */
  readonly words: string
  /** The reference between this collection and the items, a path in the referring collection; null for the items. */
  readonly reference: string | null
  /** The field that names a record; null if no field is suitable. */
  readonly title: string | null
  /** The argument that finds a word in texts: `search` if the collection has free text. */
  readonly finds: 'search' | 'text'
  /** The field that decides which record is the newest. */
  readonly time: string
  /** Fields with known values. */
  readonly categories: readonly string[]
  /** Fields with codes, such as language codes. */
  readonly codes: readonly string[]
  /** Integers with two bounds. */
  readonly scores: readonly string[]
}

/** Null for lexicons without collections. */
export function outlineCorpus(model: Model, roles?: GivenRoles): CorpusOutline | null {
  const catalogue = createCatalogue(model, roles)
  const [items] = model.collections.toSorted((one, other) => ties(other) - ties(one))
  if (items === undefined) return null
  const outward = outwardOf(items).find(({ many }) => !many) ?? null
  const origin = targetOf(outward, model)
  const inward = inwardOf(items)
    .filter(({ many }) => !many)
    .map((reference) => createParty(catalogue, holderOf(reference, model), reference))
    .toSorted((one, other) => worth(other) - worth(one))
  return {
    items: createParty(catalogue, items, null),
    origin: origin && createParty(catalogue, origin, outward),
    analysis: inward[0] ?? null,
  }
}

/** `politicalOrientation` as `political orientation`. */
export function asWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
}

function ties(collection: Collection): number {
  return outwardOf(collection).length + inwardOf(collection).length
}

function outwardOf({ references, nsid }: Collection): readonly Reference[] {
  return references.filter(({ target }) => target !== null && target !== nsid)
}

function inwardOf({ referredBy, nsid }: Collection): readonly Reference[] {
  return referredBy.filter(({ collection }) => collection !== nsid)
}

/** Number of fields to count by or to average. */
function worth({ categories, scores }: Party): number {
  return categories.length + scores.length
}

function createParty(
  catalogue: Catalogue,
  { nsid, type: { fields }, searchFields }: Collection,
  reference: Reference | null,
): Party {
  const { label, display, time } = catalogue.of(nsid)
  const namesOf = (matches: (field: Field) => boolean) => fields.filter(matches).map(({ name }) => name)
  return {
    nsid,
    name: label,
    words: asWords(lastPart(nsid)),
    reference: reference?.path.join('.') ?? null,
    title: display?.name ?? null,
    finds: searchFields.length > 0 ? 'search' : 'text',
    time,
    categories: namesOf(({ type }) => type.kind === 'string' && type.categorical && !type.code),
    codes: namesOf(({ type }) => type.kind === 'string' && type.code),
    scores: namesOf(isScore),
  }
}
