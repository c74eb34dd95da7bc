/** `where`, sentence by sentence: does this record match that condition? */
import { parseSearch } from '../../src/search/parse-search.ts'
import { plainWordsOf } from '../../src/search/words.ts'
import { searchHolds } from './words/search.ts'
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
  type World,
} from './world.ts'

/** A condition as GraphQL's variables write it. */
export type Where = Readonly<Record<string, Json>>

export function matches(world: World, record: PlainRecord, where: Where): boolean {
  return subjectMatches(world, recordSubject(world, record), where)
}

function subjectMatches(world: World, subject: Subject, where: Where): boolean {
  return Object.entries(where).every(([key, condition]) => {
    if (key === 'AND') return condition.every((each: Where) => subjectMatches(world, subject, each))
    if (key === 'OR') return condition.some((each: Where) => subjectMatches(world, subject, each))
    if (key === 'NOT') return !subjectMatches(world, subject, condition)
    return fieldMatches(world, subject, key, condition)
  })
}

function fieldMatches(world: World, subject: Subject, name: string, condition: Where): boolean {
  if (subject.kind === 'record') {
    const held = referredBy(world, subject.record.collection).find((each) => each.viaField === name)
    if (held !== undefined) {
      const referrers = reverse(world, subject.record, held)
      const { count, ...joins } = condition
      const counted =
        count === undefined ||
        scalarMatches({ kind: 'integer', bits: 53, lexicon: {} }, referrers.length, count)
      const some = (where: Where) => referrers.some((referrer) => matches(world, referrer, where))
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
      return referenceMatches(world, kind, value === undefined ? undefined : linkOf(value), condition)
    case 'object':
      return objectMatches(
        world,
        value === undefined ? undefined : objectSubject(subject, kind, value),
        condition,
      )
    case 'array':
      return arrayMatches(world, kind.of, value, condition)
    default:
      throw new Error(`A ${kind.kind} has no conditions.`)
  }
}

function someAndNone(condition: Where, some: (where: Where) => boolean): boolean {
  return Object.entries(condition).every(([key, where]) => (key === 'some' ? some(where) : !some(where)))
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
  world: World,
  kind: ReferenceKind,
  link: Link | undefined,
  condition: Where,
): boolean {
  const own = Object.entries(condition).filter(([key]) => ownConditions.includes(key))
  const inner = Object.entries(condition).filter(([key]) => !ownConditions.includes(key))
  if (!own.every(([key, argument]) => ownConditionHolds(world, link, key, argument))) return false
  if (inner.length === 0) return true

  const target = link === undefined || kind.asked === null ? null : declaredTarget(world, kind, link)
  if (kind.asked !== null && target === null) return false
  return inner.every(([key, argument]) => {
    if (key === 'AND') return argument.every((each: Where) => referenceMatches(world, kind, link, each))
    if (key === 'OR') return argument.some((each: Where) => referenceMatches(world, kind, link, each))
    if (key === 'NOT') return !referenceMatches(world, kind, link, argument)
    if (target === null) throw new Error(`${key} needs a declared target.`)
    return fieldMatches(world, recordSubject(world, target), key, argument)
  })
}

const ownConditions = ['uri', 'isNull', 'isIndexed', 'isCurrent']

function ownConditionHolds(world: World, link: Link | undefined, key: string, argument: Json): boolean {
  if (key === 'isNull') return (link === undefined) === argument
  if (key === 'uri')
    return scalarMatches({ kind: 'string', sortable: true, lexicon: {} }, link?.uri, argument)
  if (link === undefined) return false
  if (key === 'isIndexed') return (resolve(world, link.uri) !== null) === argument
  return isCurrent(world, link) === argument
}

/** The indexed record a reference means, if it lies in the one declared collection. */
export function declaredTarget(world: World, kind: ReferenceKind, link: Link): PlainRecord | null {
  const target = resolve(world, link.uri)
  return target !== null && target.collection === kind.target ? target : null
}

export function objectMatches(world: World, object: Subject | undefined, condition: Where): boolean {
  return Object.entries(condition).every(([key, argument]) => {
    if (key === 'isNull') return (object === undefined) === argument
    if (object === undefined) return false
    if (key === 'AND') return argument.every((each: Where) => objectMatches(world, object, each))
    if (key === 'OR') return argument.some((each: Where) => objectMatches(world, object, each))
    if (key === 'NOT') return !objectMatches(world, object, argument)
    return fieldMatches(world, object, key, argument)
  })
}

function arrayMatches(world: World, of: Kind, value: readonly Json[] | undefined, condition: Where): boolean {
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
      case 'some':
        if (of.kind !== 'object') throw new Error('`some` is for arrays of objects.')
        return value.some((element) =>
          objectMatches(
            world,
            { kind: 'object', value: element, fields: of.fields(), within: null },
            argument,
          ),
        )
      default:
        throw new Error(`There is no array operator ${operator}.`)
    }
  })
}
