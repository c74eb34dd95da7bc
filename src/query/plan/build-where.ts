/** Builds conditions from `where` values. A path starts at the row of its condition: a record or an array element. */
import { findArray, type Table } from '../../database/layout/tables.ts'
import type { FieldType, Reference } from '../../schema/model/model.ts'
import { leafProperties, storedName } from '../../schema/model/leaves.ts'
import type { PropertyField, WhereField } from '../../schema/model/operators.ts'
import {
  freeTextsOf,
  holderOf,
  isCountable,
  objectWhereFields,
  recordWhereFields,
  targetOf,
} from '../../schema/model/operators.ts'
import { whereOperators } from '../../schema/model/where-operators.ts'
import { tightest } from './bounds.ts'
import type { ListSearch } from './build-search.ts'
import {
  isOperatorOf,
  isTrue,
  type Input,
  linkOf,
  operand,
  OperatorBuilder,
  referringCount,
  textIndexOf,
} from './build-operators.ts'
import { absent, all, alwaysTrue, any, constant, isNothing, missingReference, not } from './conditions.ts'
import type { PlanContext } from './plan.ts'
import type { ArrayOperand, Condition, Path, ReferenceOperand } from './conditions.ts'
import { badInput, present } from '../parse/prepare.ts'
import { assertWithin } from '../parse/limits.ts'
import { conjuncts, referenceOperand, tableOf } from './plan-facts.ts'

/** The row of a condition: a record with columns, or an element, which has only JSON. */
type ConditionRow = { readonly table: Table | null; readonly path: Path }

/** Throws BAD_USER_INPUT or QUERY_TOO_COMPLEX. `{}` and an absent `where` hold for every record. */
export function buildWhere(
  context: PlanContext,
  table: Table,
  where: unknown,
  search: ListSearch | null = null,
): Condition {
  const found = search?.condition ?? alwaysTrue
  if (where === undefined || where === null) return found
  const builder = new WhereBuilder(context)
  return bothOf(builder.record(table, where as Input, 1), found)
}

/** As `buildWhere`, without what no record meets, so that the other conditions can still be read. */
export function buildPossibleWhere(context: PlanContext, table: Table, where: unknown): Condition {
  const isPossible = (input: Input): boolean => !isNothing(buildWhere(context, table, input))
  const possible = (input: Input, around: (inner: Input) => Input): Input =>
    Object.fromEntries(
      Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
        const inside = (inner: unknown): Input => around({ [name]: inner })
        if (isPossible(inside(value))) return [[name, value]]
        if (name === 'AND' && Array.isArray(value))
          return [[name, value.map((each: Input) => possible(each, (inner) => inside([inner])))]]
        const isInput = typeof value === 'object' && value !== null && !Array.isArray(value)
        return isInput && name !== 'NOT' ? [[name, possible(value as Input, inside)]] : []
      }),
    )
  const input = possible((where ?? {}) as Input, (inner) => inner)
  return buildWhere(context, table, input)
}

/** The conditions on the elements of an array of objects; their paths start at the element. */
export function buildElementWhere(context: PlanContext, field: PropertyField, some: Input): Condition {
  const { type } = field.field
  if (type.kind !== 'array') throw new Error('Only arrays have elements.')
  return new WhereBuilder(context).element(type.of, some, 1, field)
}

/** Holds if both conditions hold. */
export function bothOf(one: Condition, other: Condition): Condition {
  const condition = all([one, other])
  const parts = conjuncts(condition)
  return parts.length < 2 ? condition : all(tightest(parts))
}

/** Counts conditions and joins while it builds, so that one `where` stays within the limits however it is nested. */
class WhereBuilder extends OperatorBuilder {
  record(table: Table, where: Input, level: number): Condition {
    const fields = recordWhereFields(table.collection)
    return this.#logic(where, level, (input, at) => this.#fields(fields, { table, path: [] }, input, at))
  }

  /** Builds AND, OR and NOT of one input object; `rest` builds its other fields at the same level. */
  #logic(where: Input, level: number, rest: (input: Input, level: number) => Condition[]): Condition {
    assertWithin('whereLevels', level, 'Conditions are nested too deep')
    this.context.counts.countCondition()
    const again = (input: unknown): Condition => this.#logic(input as Input, level + 1, rest)
    const parts: Condition[] = []
    const { AND, OR, NOT, ...others } = where
    if (AND !== undefined) parts.push(all(this.list('AND', AND).map(again)))
    if (OR !== undefined) parts.push(any(this.list('OR', OR).map(again)))
    if (NOT !== undefined) parts.push(not(again(present('NOT', NOT))))
    parts.push(...rest(others, level))
    return all(parts)
  }

  #fields(fields: readonly WhereField[], row: ConditionRow, input: Input, level: number): Condition[] {
    return Object.entries(input).map(([name, value]) => {
      const field = fields.find((it) => it.name === name)
      if (field === undefined) throw new Error(`No where field ${name}.`)
      const conditions = present(name, value) as Input
      switch (field.kind) {
        case 'system':
          return field.name === 'uri'
            ? this.ownUri(conditions)
            : this.scalar({ kind: 'system', name: storedName(field.name) }, conditions, field.name === 'rev')
        case 'reverse':
          return this.#reverse(field.reference, conditions, level)
        case 'property':
          return this.#property(row, conditions, level, field)
      }
    })
  }

  #property(row: ConditionRow, input: Input, level: number, where: PropertyField): Condition {
    const { mayMiss, property, type } = where.field
    const { table } = row
    const path = [...row.path, property]
    switch (type.kind) {
      case 'string': {
        const order = Object.keys(input).find((name) => /^[gl]te?$/.test(name))
        if (type.isCoordinate === true && order !== undefined)
          throw badInput(
            `\`${where.field.name}\` is a number that is kept as text, and \`${order}\` compares texts: "6.2" comes after "40". Ask for single values with \`eq\` or \`in\`, or compare the numbers in your program.`,
          )
        const text = operand(table, path, 'text')
        // A stored column omits texts that are too long for an index, so it may be null even for a required field.
        const isKept = text.kind === 'column' && !text.column.virtual
        return this.scalar(text, input, mayMiss || isKept, textIndexOf(table, path), table?.words)
      }
      case 'datetime':
        return this.scalar(operand(table, path, 'instant'), input, mayMiss)
      case 'integer':
      case 'boolean':
        return this.scalar(operand(table, path, type.kind), input, mayMiss)
      case 'strongRef':
      case 'atUri': {
        const of = referenceOperand(table, path, type.kind === 'strongRef' ? 'strongRef' : 'text')
        return this.#reference(of, input, level, where.reference)
      }
      case 'object': {
        const { isNull, ...inside } = input
        const own = isNull === undefined ? [] : [this.#absent(path, isNull, mayMiss)]
        if (Object.keys(inside).length === 0) return all(own)
        return all([
          ...own,
          absent(path, false, mayMiss),
          this.#inside(objectWhereFields(type.type, where.inside), { table, path }, inside, level + 1),
        ])
      }
      case 'array':
        return this.#array(type.of, { table, path }, input, level, where)
    }
    throw new Error(`A ${type.kind} has no conditions.`)
  }

  #array(
    of: FieldType,
    { table, path }: ConditionRow,
    input: Input,
    level: number,
    where: PropertyField,
  ): Condition {
    const parts: Condition[] = []
    const { isNull, some, contains, ...operators } = input
    const { mayMiss } = where.field
    if (isNull !== undefined) parts.push(this.#absent(path, isNull, mayMiss))
    if (some !== undefined) {
      this.countJoin()
      const inside = this.element(of, present('some', some) as Input, level, where)
      parts.push({ kind: 'element', path, where: inside })
    }
    if (contains !== undefined) {
      this.countJoin()
      parts.push({ kind: 'element', path, where: this.#elementContains(of, { contains }) })
    }
    if (isCountable(of)) {
      const kind = of.kind === 'integer' ? 'integer' : of.kind === 'datetime' ? 'instant' : 'text'
      const index = table === null ? null : (findArray(table, path, false) ?? null)
      const array: ArrayOperand = { path, kind, index }
      for (const [name, value] of Object.entries(operators)) {
        this.count()
        if (!isOperatorOf(name, 'has')) throw new Error(`An array has no operator ${name}.`)
        const takesList = whereOperators[name].value === 'list'
        const list = takesList ? this.values(name, value) : [this.value(name, value)]
        if (list.length > 0) parts.push({ kind: 'has', array, list, mode: name === 'hasAll' ? 'all' : 'any' })
        // An empty `hasAll` holds for every array.
        else parts.push(name === 'hasAll' ? absent(path, false, mayMiss) : constant(false))
      }
    }
    return all(parts)
  }

  /** Whether an element, or some free text in it, meets conditions on texts. */
  #elementContains(of: FieldType, input: Input): Condition {
    const paths = of.kind === 'object' ? freeTextsOf(of.type).map(leafProperties) : [[]]
    return any(
      paths.map((path) => this.scalar({ kind: 'json', path, as: 'text' }, input, of.kind === 'object')),
    )
  }

  element(of: FieldType, input: Input, level: number, { reference, inside }: PropertyField): Condition {
    if (of.kind === 'strongRef')
      return this.#reference({ kind: 'json', path: [], shape: 'strongRef' }, input, level, reference)
    if (of.kind !== 'object') throw new Error(`Elements of kind ${of.kind} have no conditions.`)
    const fields = objectWhereFields(of.type, inside)
    return this.#inside(fields, { table: null, path: [] }, input, level + 1)
  }

  /** Conditions inside an object that is present, so `isNull` is constant. */
  #inside(fields: readonly WhereField[], row: ConditionRow, input: Input, level: number): Condition {
    return this.#logic(input, level, ({ isNull, ...rest }, at) => [
      ...(isNull === undefined ? [] : [constant(!isTrue('isNull', isNull))]),
      ...this.#fields(fields, row, rest, at),
    ])
  }

  /**
   * `uri`, `isNull`, `isIndexed` and `isCurrent` are conditions on the reference. All other conditions, with AND, OR
   * and NOT, are conditions on its target, if it has one known target collection.
   */
  #reference(of: ReferenceOperand, input: Input, level: number, reference: Reference | null): Condition {
    const target = targetOf(reference, this.context.model)
    const { uri, isNull, isIndexed, isCurrent, ...inside } = input
    const parts = this.#ownReference(of, { uri, isNull, isIndexed, isCurrent })
    if (Object.keys(inside).length === 0) return all(parts)
    if (target === null)
      return all([...parts, this.#logic(inside, level + 1, (rest) => this.#ownReference(of, rest))])
    this.countJoin()
    const table = tableOf(this.context, target)
    const where = this.#insideTarget(of, table, inside, level + 1)
    return all([...parts, { kind: 'target', of, table, where }])
  }

  /** Inside the target, these keys mean the reference, which is present and indexed, and has the URI of the target. */
  #insideTarget(of: ReferenceOperand, table: Table, input: Input, level: number): Condition {
    const fields = recordWhereFields(table.collection)
    return this.#logic(input, level, ({ uri, isNull, isIndexed, isCurrent, ...others }, at) => {
      const parts: Condition[] = []
      if (uri !== undefined) parts.push(this.uri(null, present('uri', uri) as Input))
      if (isNull !== undefined) parts.push(constant(!isTrue('isNull', isNull)))
      if (isIndexed !== undefined) parts.push(constant(isTrue('isIndexed', isIndexed)))
      if (isCurrent !== undefined)
        parts.push({ kind: 'outerCurrent', of, is: isTrue('isCurrent', isCurrent) })
      return [...parts, ...this.#fields(fields, { table, path: [] }, others, at)]
    })
  }

  #ownReference(of: ReferenceOperand, { uri, isNull, isIndexed, isCurrent }: Input): Condition[] {
    const parts: Condition[] = []
    const joined = (kind: 'indexed' | 'current', is: boolean): void => {
      this.countJoin()
      parts.push({ kind, of, is })
    }
    if (uri !== undefined) parts.push(this.uri(of, present('uri', uri) as Input))
    if (isNull !== undefined) {
      this.count()
      parts.push(missingReference(of, isTrue('isNull', isNull)))
    }
    if (isIndexed !== undefined) joined('indexed', isTrue('isIndexed', isIndexed))
    if (isCurrent !== undefined) joined('current', isTrue('isCurrent', isCurrent))
    return parts
  }

  #reverse(reference: Reference, input: Input, level: number): Condition {
    const table = tableOf(this.context, holderOf(reference, this.context.model))
    const link = linkOf(table, reference)
    return all(
      Object.entries(input).map(([name, value]) => {
        this.countJoin()
        if (isOperatorOf(name, 'count'))
          return this.scalar(referringCount(this.context, reference), present(name, value) as Input, false)
        const where = this.record(table, present(name, value) as Input, level + 1)
        const some: Condition = { kind: 'referring', table, link, where }
        return name === 'none' ? not(some) : some
      }),
    )
  }

  #absent(path: Path, is: unknown, mayMiss: boolean): Condition {
    this.count()
    return absent(path, isTrue('isNull', is), mayMiss)
  }
}
