/**
 * The fields of a collection that a question can name: in conditions, groups, columns and orders. Names are those
 * of `groupBy` where a field can be grouped by, so `source_country` is the country of an article's source.
 */
import {
  elementArray,
  leafName,
  leafPath,
  leafProperties,
  leafType,
  propertyLeaves,
  systemLeaf,
  type Leaf,
} from '../schema/model/leaves.ts'
import type { Collection, FieldType, Model, Reference } from '../schema/model/model.ts'
import {
  fieldName,
  groupFields,
  hasConditions,
  holderOf,
  measureFields,
  recordWhereFields,
  sortFields,
  targetOf,
  timeFields,
} from '../schema/model/operators.ts'
import { lastPart } from '../schema/model/naming.ts'
import { holderAfter, referenceOf, type Step } from './paths.ts'
import { fieldsAlong, resolvedName } from './selection.ts'

export interface AskField {
  /** In addresses and GraphQL; a field of records that refer is `techServiceNewsEnrichmentViaArticle.sentiment`. */
  readonly name: string
  /** In orders and measures, which have names that groups reserve, such as `share`. */
  readonly plainName: string
  /** The names of the fields that lead to it, which its label is made of. */
  readonly words: readonly string[]
  readonly description: string
  /** Of the value; of an array, that of its elements. */
  readonly type: FieldType
  /** Whether a record may have several values. */
  readonly many: boolean
  /** An array, which may be inside elements of another one, has `has` instead of `eq`. */
  readonly isArray: boolean
  /** The members of `where` that lead to its conditions, its own last. */
  readonly steps: readonly Step[]
  /** The fields and fragments that lead to its value; null where a property took the name of one. */
  readonly selected: readonly string[] | null
  /** The values that the lexicon lists. */
  readonly values: readonly string[]
  /** The only collection whose records it refers to, if it is such a reference. */
  readonly target: Collection | null
  /** Whether `groupBy` and `facets` of the collection take it. */
  readonly isGroup: boolean
  readonly isSort: boolean
  readonly isMeasure: boolean
  /** Whether it is a value of the record itself, not of one that it refers to or that refers to it. */
  readonly isOwn: boolean
  /** Properties from the record down to the value, if it is its own. */
  readonly properties: readonly string[]
}

/** By name: fields of the record and its objects, of what it refers to, numbers of records that refer, their fields. */
export function fieldsOf(collection: Collection, model: Model): ReadonlyMap<string, AskField> {
  const referring = recordWhereFields(collection).flatMap((field): AskField[] => {
    if (field.kind !== 'reverse') return []
    const { name, reference } = field
    const record = holderOf(reference, model)
    const own = ownFields(record, model).filter(({ isOwn }) => isOwn)
    return own.map((inner) => {
      const steps = [{ kind: 'reverse', name, some: true, reference, record } as const, ...inner.steps]
      return {
        ...inner,
        name: `${name}.${inner.name}`,
        plainName: `${name}.${inner.name}`,
        words: [lastPart(record.nsid), ...inner.words],
        steps,
        selected: fieldsAlong(steps, collection)?.fields ?? null,
        ...ofReferring,
      }
    })
  })
  const all = [...ownFields(collection, model), ...countFields(collection, model), ...referring]
  return new Map(all.map((field) => [field.name, field]))
}

/** Lists and groups do not have what is of records that refer. */
const ofReferring = {
  many: true,
  isGroup: false,
  isSort: false,
  isMeasure: false,
  isOwn: false,
  properties: [],
} as const

/** How many records refer to a record by each reference. */
function countFields(collection: Collection, model: Model): readonly AskField[] {
  return sortFields(collection).flatMap(({ name, leaf }): AskField[] => {
    if (leaf.kind !== 'count') return []
    const { reference } = leaf
    const record = holderOf(reference, model)
    return [
      {
        name,
        plainName: name,
        words: [lastPart(record.nsid), 'count'],
        description: '',
        type: leafType(leaf),
        isArray: false,
        steps: [
          { kind: 'reverse', name: reference.viaField, some: false, reference, record },
          { kind: 'value', name: 'count', some: false, record: null },
        ],
        selected: null,
        values: [],
        target: null,
        ...ofReferring,
      },
    ]
  })
}

/** Whether it is the number of records that refer. Zero is a value; none is ever missing. */
export function isCountField({ steps: [first] }: Pick<AskField, 'steps'>): boolean {
  return first?.kind === 'reverse' && !first.some
}

function ownFields(collection: Collection, model: Model): readonly AskField[] {
  const sorts = new Set(sortFields(collection).map(({ name }) => name))
  const measures = new Set(measureFields(collection).map(({ name }) => name))
  const groups = groupFields(collection, model).filter(({ bucket }) => bucket === null)
  const describe = (name: string, joins: readonly Reference[], leaf: Leaf, isGroup: boolean): AskField => {
    const steps = [...joins.map((join) => joinStep(join, model)), ...stepsOf(leaf)]
    const type = leafType(leaf)
    const isOwn = joins.length === 0
    const plainName = isOwn ? leafName(leaf) : name
    return {
      name,
      plainName,
      words: steps.map((step) => step.name),
      description: leaf.kind === 'property' ? leaf.field.constraints.words : '',
      type,
      many: elementArray(leaf) !== null,
      isArray: leaf.kind === 'property' && leaf.field.type.kind === 'array',
      steps,
      selected: fieldsAlong(steps, collection)?.fields ?? null,
      values: leaf.kind === 'property' ? leaf.field.constraints.values : [],
      target: targetOfLeaf(holderAfter(steps, collection), leaf, model),
      isGroup,
      isSort: isOwn && sorts.has(plainName),
      isMeasure: isOwn && measures.has(plainName),
      isOwn,
      properties: isOwn && leaf.kind === 'property' ? leafProperties(leaf) : [],
    }
  }
  const grouped = groups.map(({ name, joins, leaf }) => describe(name, joins, leaf, true))
  const joinedTimes = timeFields(collection, model)
    .filter(({ joins }) => joins.length > 0)
    .map(({ name, joins, leaf }) => describe(name, joins, leaf, false))
  const seen = new Set(grouped.map(({ words }) => words.join('.')))
  const leaves = propertyLeaves(collection.type).filter(
    (leaf) => leafType(leaf).kind !== 'object' && hasConditions(leaf.field.type),
  )
  const others = [...leaves, systemLeaf('indexedAt'), systemLeaf('uri')]
    .map((leaf) => describe(leafName(leaf), [], leaf, false))
    .filter(({ words }) => !seen.has(words.join('.')))
  return [...grouped, ...others, ...joinedTimes]
}

function stepsOf(leaf: Leaf): Step[] {
  const inside = leaf.kind === 'system' ? [] : leaf.inside
  return [
    ...inside.map(
      ({ name, type }): Step => ({ kind: 'object', name, some: type.kind === 'array', record: null }),
    ),
    { kind: 'value', name: leafPath(leaf).at(-1) ?? '', some: false, record: null },
  ]
}

/** Null too where the record behind the reference has no field, because a property has its name. */
function targetOfLeaf(collection: Collection, leaf: Leaf, model: Model): Collection | null {
  if (leaf.kind === 'system') return null
  const { inside, field } = leaf
  if (inside.length === 0 && resolvedName(collection.type.fields, field.name) === null) return null
  const properties = inside.map(({ property }) => property)
  return targetOf(referenceOf(collection, field, properties), model)
}

function joinStep(reference: Reference, model: Model): Step {
  const record = targetOf(reference, model) as Collection
  return { kind: 'reference', name: fieldName(reference, model), some: false, reference, record }
}

/**
 * `is`: one of the values; `not`: none of them, and records without a value stay; `all`: an array has all of them;
 * `missing`: `1` without a value, `0` with one; `from` and `to`: both included, and a date means its whole day;
 * `contains`, `starts`: characters; `matches`: words.
 */
export const operators = [
  'is',
  'not',
  'all',
  'missing',
  'from',
  'to',
  'contains',
  'starts',
  'matches',
] as const
export type Operator = (typeof operators)[number]

/** The first is meant where none is named. */
export function operatorsOf(field: AskField): readonly Operator[] {
  const { type, isArray, steps } = field
  if (isCountField(field)) return ['is', 'not', 'from', 'to']
  const missing = ['is', 'not', 'missing'] as const
  if (isArray) return type.kind === 'strongRef' ? missing : [...missing, 'all']
  switch (type.kind) {
    case 'string': {
      const texts = [...missing, 'contains', 'starts'] as const
      if (!type.freeText) return type.bounded && type.isCoordinate !== true ? [...texts, 'from', 'to'] : texts
      // Words are not looked for in elements of arrays.
      return steps.some(({ some, record }) => some && record === null) ? texts : [...texts, 'matches']
    }
    case 'integer':
      return [...missing, 'from', 'to']
    case 'datetime':
      return ['from', 'to', 'missing']
    default:
      return missing
  }
}
