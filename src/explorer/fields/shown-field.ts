/**
 * The fields of a collection as people meet them: by one name in addresses, filters, facets, charts and tables. Names
 * are those of `groupBy` where a field can be grouped by, so `source_country` is the country of an article's source.
 */
import {
  elementArray,
  leafName,
  leafProperties,
  leafType,
  propertyLeaves,
  type Leaf,
} from '../../schema/model/leaves.ts'
import type { Collection, FieldType, Model, Reference } from '../../schema/model/model.ts'
import {
  groupFields,
  hasConditions,
  holderOf,
  measureFields,
  recordWhereFields,
  sortFields,
  targetOf,
} from '../../schema/model/operators.ts'
import { lastPart } from '../../schema/model/naming.ts'
import { type Labels, noValueLabels, type Scale, type ValueLabels } from './labels.ts'

/** One member on the way through a `where` to the conditions on a field. */
export interface WhereStep {
  readonly name: string
  /** Whether the conditions are inside `some`: for elements of arrays, and for records that refer. */
  readonly some: boolean
  /** The GraphQL type of the record that the step leads to; null within a record. */
  readonly record: string | null
}

export interface ShownField {
  /** In addresses and GraphQL; a field of records that refer is `techServiceNewsEnrichmentViaArticle.sentiment`. */
  readonly name: string
  /** The names of the fields that lead to it, which its label is made of. */
  readonly words: readonly string[]
  /** Those of `display.json`; empty without any. */
  readonly labels: Labels
  readonly description: string
  /** Of the value; of an array, that of its elements. */
  readonly type: FieldType
  /** Whether a record may have several values. */
  readonly many: boolean
  /** An array, which may be inside elements of another one, has `has` instead of `eq`. */
  readonly isArray: boolean
  readonly steps: readonly WhereStep[]
  /** The values that the lexicon lists. */
  readonly values: readonly string[]
  /** Labels of values in `display.json`. */
  readonly valueLabels: ValueLabels
  /** Of an integer whose ends have a meaning. */
  readonly scale: Scale | null
  /** Whether pages show it only where it is asked for. */
  readonly isHidden: boolean
  /** The only collection whose records it refers to, if it is such a reference. */
  readonly target: Collection | null
  /** The text of the records it refers to that names them; null where there is no `target`, or no such text. */
  readonly targetTitle: string | null
  /** Whether `groupBy` and `facets` of the collection take it. */
  readonly isGroup: boolean
  readonly isSort: boolean
  readonly isMeasure: boolean
  /** Whether it is a value of the record itself, not of one that it refers to or that refers to it. */
  readonly isOwn: boolean
  /** Properties from the record down to the value, if it is its own. */
  readonly properties: readonly string[]
}

/** By name: the fields of the record and its objects, then of records that it refers to, then of those that refer. */
export function shownFields(collection: Collection, model: Model): ReadonlyMap<string, ShownField> {
  const own = ownFields(collection, model)
  const referring = recordWhereFields(collection).flatMap((field): ShownField[] => {
    if (field.kind !== 'reverse') return []
    const holder = holderOf(field.reference, model)
    return ownFields(holder, model)
      .filter(({ isOwn }) => isOwn)
      .map((inner) => throughReverse(field.name, holder, inner))
  })
  return new Map([...own, ...referring].map((field) => [field.name, field]))
}

function ownFields(collection: Collection, model: Model): readonly ShownField[] {
  const sorts = new Set(sortFields(collection).map(({ name }) => name))
  const measures = new Set(measureFields(collection).map(({ name }) => name))
  const groups = groupFields(collection, model).filter(({ bucket }) => bucket === null)
  const seen = new Set<string>()
  const describe = (name: string, joins: readonly Reference[], leaf: Leaf, isGroup: boolean): ShownField => {
    const steps = [...joins.map((join) => joinStep(join, model)), ...stepsOf(leaf)]
    const type = leafType(leaf)
    const isOwn = joins.length === 0
    return {
      name,
      words: steps.map((step) => step.name),
      labels: {},
      description: leaf.kind === 'property' ? leaf.field.constraints.words : '',
      type,
      many: elementArray(leaf) !== null,
      isArray: leaf.kind === 'property' && leaf.field.type.kind === 'array',
      steps,
      values: leaf.kind === 'property' ? leaf.field.constraints.values : [],
      valueLabels: noValueLabels,
      scale: null,
      isHidden: false,
      target: targetOfLeaf(holderAfter(collection, joins, model), leaf, model),
      targetTitle: null,
      isGroup,
      isSort: isOwn && sorts.has(name),
      isMeasure: isOwn && measures.has(name),
      isOwn,
      properties: isOwn && leaf.kind === 'property' ? leafProperties(leaf) : [],
    }
  }
  const grouped = groups.map(({ name, joins, leaf }) => describe(name, joins, leaf, true))
  for (const { steps } of grouped) seen.add(steps.map((step) => step.name).join('.'))
  const leaves: Leaf[] = [
    ...propertyLeaves(collection.type),
    { kind: 'system', name: 'indexedAt' },
    { kind: 'system', name: 'uri' },
  ]
  const others = leaves
    .filter(
      (leaf) => hasOperators(leafType(leaf)) && (leaf.kind === 'system' || hasConditions(leaf.field.type)),
    )
    .map((leaf) => describe(leafName(leaf), [], leaf, false))
    .filter(({ steps }) => !seen.has(steps.map((step) => step.name).join('.')))
  return [...grouped, ...others]
}

/** Types with conditions on a value. */
function hasOperators({ kind }: FieldType): boolean {
  return ['string', 'integer', 'datetime', 'boolean', 'strongRef', 'atUri'].includes(kind)
}

function throughReverse(via: string, holder: Collection, inner: ShownField): ShownField {
  return {
    ...inner,
    name: `${via}.${inner.name}`,
    words: [lastPart(holder.nsid), ...inner.words],
    many: true,
    steps: [{ name: via, some: true, record: holder.typeName }, ...inner.steps],
    isGroup: false,
    isSort: false,
    isMeasure: false,
    isOwn: false,
    properties: [],
  }
}

function stepsOf(leaf: Leaf): WhereStep[] {
  if (leaf.kind === 'system') return [{ name: leaf.name, some: false, record: null }]
  return [
    ...leaf.inside.map(({ name, type }) => ({ name, some: type.kind === 'array', record: null })),
    { name: leaf.field.name, some: false, record: null },
  ]
}

function holderAfter(collection: Collection, joins: readonly Reference[], model: Model): Collection {
  return joins.reduce((_, join) => targetOf(join, model) ?? collection, collection)
}

/** Null too where the record behind the reference has no field, because a property has its name. */
function targetOfLeaf(collection: Collection, leaf: Leaf, model: Model): Collection | null {
  if (leaf.kind === 'system') return null
  const siblings = leaf.inside.length === 0 ? collection.type.fields : []
  if (siblings.some(({ name }) => name === `${leaf.field.name}Resolved`)) return null
  const path = leafProperties(leaf).join('\n')
  return targetOf(collection.references.find((each) => each.path.join('\n') === path) ?? null, model)
}

function joinStep(join: Reference, model: Model): WhereStep {
  return { name: nameOf(join, model), some: false, record: targetOf(join, model)?.typeName ?? null }
}

function nameOf(reference: Reference, model: Model): string {
  const { fields } = holderOf(reference, model).type
  return fields.find(({ property }) => property === reference.path[0])?.name ?? ''
}

/** The name of the record's collection, which is the same in all of its records: there is nothing to choose. */
export function isCollectionName({ steps, properties }: ShownField): boolean {
  return properties.length === 0 && steps.at(-1)?.name === 'collection'
}

/** Whether readers may count and group by the field. */
export function isGroupOffered(field: ShownField): boolean {
  return field.isGroup && !isCollectionName(field)
}

/** Whether nearly every record has another value, so that groups of them tell nothing: titles, long texts, addresses. */
export function isDiverse(
  { name, isArray, isOwn, type }: ShownField,
  { title, summary }: { readonly title: string | null; readonly summary: string | null },
): boolean {
  if (isArray || type.kind !== 'string') return false
  return type.format === 'uri' || (type.freeText && (!isOwn || name === title || name === summary))
}
