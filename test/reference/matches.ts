/** `where`, sentence by sentence: does this record match that condition? */
import { parseSearch } from '../../src/search/parse-search.ts'
import { plainWordsOf } from '../../src/search/words.ts'
import { isFreeText, searchHolds } from './words/search.ts'
import type { Json, Kind, ReferenceKind } from './shapes.ts'
import { isSameUrl } from './urls.ts'
import { compareKeys, fold, type Key, parseInstant } from './values.ts'
import {
  isCurrent,
  type Link,
  linkOf,
  objectSubject,
  type PlainRecord,
  readField,
  recordSubject,
  referredBy,
  resolve,
  reverse,
  type Subject,
  scalarKey,
  type Dataset,
} from './dataset.ts'

/** A condition as GraphQL's variables write it. */
export type Where = Readonly<Record<string, Json>>

export function matches(data: Dataset, record: PlainRecord, where: Where): boolean {
  return subjectMatches(data, recordSubject(data, record), where)
}

function subjectMatches(data: Dataset, subject: Subject, where: Where): boolean {
  return Object.entries(where).every(([key, condition]) => {
    if (key === 'AND') return condition.every((each: Where) => subjectMatches(data, subject, each))
    if (key === 'OR') return condition.some((each: Where) => subjectMatches(data, subject, each))
    if (key === 'NOT') return !subjectMatches(data, subject, condition)
    return fieldMatches(data, subject, key, condition)
  })
}

function fieldMatches(data: Dataset, subject: Subject, name: string, condition: Where): boolean {
  if (subject.kind === 'record') {
    const held = referredBy(data, subject.record.collection).find((each) => each.viaField === name)
    if (held !== undefined) {
      const referrers = reverse(data, subject.record, held)
      const { count, ...joins } = condition
      const counted =
        count === undefined ||
        scalarMatches({ kind: 'integer', bits: 53, lexicon: {} }, referrers.length, count)
      const some = (where: Where) => referrers.some((referrer) => matches(data, referrer, where))
      return counted && someAndNone(joins, some)
    }
  }
  const { kind, value } = readField(subject, name)
  switch (kind.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'datetime':
      return scalarMatches(kind, scalarKey(kind, value), condition)
    case 'reference':
      return referenceMatches(data, kind, value === undefined ? undefined : linkOf(value), condition)
    case 'object':
      return objectMatches(
        data,
        value === undefined ? undefined : objectSubject(subject, kind, value),
        condition,
      )
    case 'array':
      return arrayMatches(data, kind.of, value, condition)
    default:
      throw new Error(`A ${kind.kind} has no conditions.`)
  }
}

function someAndNone(condition: Where, some: (where: Where) => boolean): boolean {
  return Object.entries(condition).every(([key, where]) => {
    if (key === 'some') return some(where)
    if (key === 'none') return !some(where)
    throw new Error(`There is no operator ${key}.`)
  })
}

function scalarMatches(kind: Kind, key: Key, condition: Where): boolean {
  return Object.entries(condition).every(([operator, argument]) => {
    if (operator === 'isNull') return (key === undefined) === argument
    if (key === undefined) return false
    const order = (other: Json) => compareKeys(key, argumentKey(kind, other))
    switch (operator) {
      case 'eq':
        return order(argument) === 0
      case 'ne':
        return order(argument) !== 0
      case 'in':
        return argument.some((other: Json) => order(other) === 0)
      case 'notIn':
        return argument.every((other: Json) => order(other) !== 0)
      case 'gt':
        return order(argument) > 0
      case 'gte':
        return order(argument) >= 0
      case 'lt':
        return order(argument) < 0
      case 'lte':
        return order(argument) <= 0
      case 'contains':
        return fold(String(key)).includes(fold(argument))
      case 'startsWith':
        return fold(String(key)).startsWith(fold(argument))
      case 'sameUrl':
        return isSameUrl(String(key), argument)
      case 'matches': {
        const search = parseSearch(argument, [])
        return search === null || searchHolds([{ name: '', words: plainWordsOf(String(key)) }], search)
      }
      default:
        throw new Error(`There is no operator ${operator}.`)
    }
  })
}

function argumentKey(kind: Kind, argument: Json): Key {
  return kind.kind === 'datetime' ? parseInstant(argument) : argument
}

/**
 * `uri isNull isIndexed isCurrent` speak of the reference itself. Everything else holds jointly, and only
 * when the target is indexed, in the declared collection. Without a declared target nothing else exists.
 */
function referenceMatches(
  data: Dataset,
  kind: ReferenceKind,
  link: Link | undefined,
  condition: Where,
): boolean {
  const own = Object.entries(condition).filter(([key]) => ownConditions.includes(key))
  const inner = Object.entries(condition).filter(([key]) => !ownConditions.includes(key))
  if (!own.every(([key, argument]) => ownConditionHolds(data, link, key, argument))) return false
  if (inner.length === 0) return true

  const target = link === undefined || kind.asked === null ? null : declaredTarget(data, kind, link)
  if (kind.asked !== null && target === null) return false
  return inner.every(([key, argument]) => {
    if (key === 'AND') return argument.every((each: Where) => referenceMatches(data, kind, link, each))
    if (key === 'OR') return argument.some((each: Where) => referenceMatches(data, kind, link, each))
    if (key === 'NOT') return !referenceMatches(data, kind, link, argument)
    if (target === null) throw new Error(`${key} needs a declared target.`)
    return fieldMatches(data, recordSubject(data, target), key, argument)
  })
}

const ownConditions = ['uri', 'isNull', 'isIndexed', 'isCurrent']

function ownConditionHolds(data: Dataset, link: Link | undefined, key: string, argument: Json): boolean {
  if (key === 'isNull') return (link === undefined) === argument
  if (key === 'uri')
    return scalarMatches({ kind: 'string', sortable: true, lexicon: {} }, link?.uri, argument)
  if (link === undefined) return false
  if (key === 'isIndexed') return (resolve(data, link.uri) !== null) === argument
  return isCurrent(data, link) === argument
}

/** The indexed record a reference means, if it lies in the one declared collection. */
export function declaredTarget(data: Dataset, kind: ReferenceKind, link: Link): PlainRecord | null {
  const target = resolve(data, link.uri)
  return target !== null && target.collection === kind.target ? target : null
}

export function objectMatches(data: Dataset, object: Subject | undefined, condition: Where): boolean {
  return Object.entries(condition).every(([key, argument]) => {
    if (key === 'isNull') return (object === undefined) === argument
    if (object === undefined) return false
    if (key === 'AND') return argument.every((each: Where) => objectMatches(data, object, each))
    if (key === 'OR') return argument.some((each: Where) => objectMatches(data, object, each))
    if (key === 'NOT') return !objectMatches(data, object, argument)
    return fieldMatches(data, object, key, argument)
  })
}

function arrayMatches(
  data: Dataset,
  of: Kind,
  value: readonly Json[] | undefined,
  condition: Where,
): boolean {
  return Object.entries(condition).every(([operator, argument]) => {
    if (operator === 'isNull') return (value === undefined) === argument
    if (value === undefined) return false
    switch (operator) {
      case 'has':
        return value.includes(argument)
      case 'hasAny':
        return argument.some((each: Json) => value.includes(each))
      case 'hasAll':
        return argument.every((each: Json) => value.includes(each))
      case 'contains':
        return value.some((element) =>
          textsIn(of, element).some((text) => fold(text).includes(fold(argument))),
        )
      case 'some':
        return value.some((element) => elementMatches(data, of, element, argument))
      default:
        throw new Error(`There is no array operator ${operator}.`)
    }
  })
}

/** An element that is a text, or the free texts of one that is an object. */
export function textsIn(kind: Kind, element: Json): readonly string[] {
  if (kind.kind !== 'object') return [element]
  return freeTextPaths(kind).flatMap((path) => path.reduce((at, name) => at?.[name], element) ?? [])
}

/** The free texts of an object, also in its objects, but not in itself again. */
export function freeTextPaths(kind: Kind, above: readonly string[] = []): readonly (readonly string[])[] {
  if (kind.kind === 'string') return isFreeText(kind.lexicon) ? [[]] : []
  if (kind.kind !== 'object' || above.includes(kind.def)) return []
  const inside = [...above, kind.def]
  return kind
    .fields()
    .flatMap((field) => freeTextPaths(field.kind, inside).map((path) => [field.property, ...path]))
}

function elementMatches(data: Dataset, kind: Kind, element: Json, condition: Where): boolean {
  if (kind.kind === 'reference') return referenceMatches(data, kind, linkOf(element), condition)
  if (kind.kind !== 'object') throw new Error('`some` is for arrays of objects or references.')
  return objectMatches(
    data,
    { kind: 'object', value: element, fields: kind.fields(), within: null },
    condition,
  )
}
