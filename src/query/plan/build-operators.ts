/** The operators of one value as conditions, and the limits of a `where`, which count as it is built. */
import type { ColumnValue } from '../../database/database.ts'
import type { Table, TextIndex, WordIndex } from '../../database/layout/tables.ts'
import { findArray, findColumn, findReference } from '../../database/layout/tables.ts'
import type { Reference } from '../../schema/model/model.ts'
import { holderOf } from '../../schema/model/operators.ts'
import type { OperatorName, OperatorOf, WhereOperator } from '../../schema/model/where-operators.ts'
import { whereOperators } from '../../schema/model/where-operators.ts'
import { foldText } from '../../util/text/fold.ts'
import { normalizeWrittenUrl } from '../../util/text/normalize-url.ts'
import { assertWithin } from '../parse/limits.ts'
import { badInput, checkedText, present } from '../parse/prepare.ts'
import { readSearch, searchCondition } from './build-search.ts'
import { holdsWithoutWords } from '../../search/parse-search.ts'
import { all, constant, missing, missingReference } from './conditions.ts'
import type { PlanContext } from './plan.ts'
import { tableOf } from './plan-facts.ts'
import type { Condition, Link, Operand, ReferenceOperand, ReferringCount } from './conditions.ts'

export type Input = Readonly<Record<string, unknown>>

export class OperatorBuilder {
  protected readonly context: PlanContext
  #conditions = 0
  #joins = 0

  constructor(context: PlanContext) {
    this.context = context
  }

  /** `operand`: of a number of records that refer, which is never missing, only the comparisons. */
  scalar(
    operand: Operand | ReferringCount,
    input: Input,
    mayMiss: boolean,
    index: TextIndex | null = null,
    words: WordIndex | null = null,
  ): Condition {
    const isMissing = (is: boolean): Condition =>
      operand.kind === 'count' ? constant(!is) : missing(operand, is, mayMiss, index)
    return all(
      Object.entries(input).map(([name, value]): Condition => {
        this.count()
        if (isOperatorOf(name, 'missing')) return isMissing(isTrue(name, value))
        if (isOperatorOf(name, 'compare'))
          return { kind: 'compare', operand, op: name, to: this.value(name, value) }
        if (isOperatorOf(name, 'in')) {
          const [list, negated] = [this.values(name, value), name === 'notIn']
          if (list.length > 0) return { kind: 'in', operand, list, negated }
          return negated ? isMissing(false) : constant(false)
        }
        const given = String(this.value(name, value))
        if (isOperatorOf(name, 'words')) return wordsCondition(words, index, given, isMissing(false))
        if (operand.kind !== 'count' && isOperatorOf(name, 'url')) return urlCondition(operand, given)
        if (operand.kind === 'count' || !isOperatorOf(name, 'text'))
          throw new Error(`A value has no operator ${name}.`)
        assertWithin('needle', given.length, `\`${name}\` looks for too many characters`)
        const needle = foldText(given)
        if (needle === '') return isMissing(false)
        return { kind: 'text', operand, index, match: name, needle }
      }),
    )
  }

  uri(of: ReferenceOperand | null, input: Input): Condition {
    return all(
      Object.entries(input).map(([name, value]): Condition => {
        this.count()
        if (name === 'isNull') {
          const is = isTrue(name, value)
          return of === null ? constant(!is) : missingReference(of, is)
        }
        const list = (
          name === 'eq' || name === 'ne' ? [this.value(name, value)] : this.values(name, value)
        ).map(String)
        const negated = name === 'ne' || name === 'notIn'
        if (list.length > 0) return { kind: 'uri', of, list, negated }
        return negated && of !== null ? missingReference(of, false) : constant(negated)
      }),
    )
  }

  /** The `uri` of a record takes all string operators; equality compares its parts, which are indexed. */
  ownUri(input: Input): Condition {
    const byParts = new Set(['eq', 'ne', 'in', 'notIn'])
    const entries = Object.entries(input)
    const parts = Object.fromEntries(entries.filter(([name]) => byParts.has(name)))
    const rest = Object.fromEntries(entries.filter(([name]) => !byParts.has(name)))
    return all([this.uri(null, parts), this.scalar({ kind: 'system', name: 'uri' }, rest, false)])
  }

  value(name: string, value: unknown): ColumnValue {
    const given = present(name, value)
    if (typeof given === 'string') return checkedText(name, given)
    return typeof given === 'boolean' ? Number(given) : (given as ColumnValue)
  }

  values(name: string, value: unknown): readonly ColumnValue[] {
    const list = this.list(name, value)
    assertWithin('listValues', list.length, `\`${name}\` has too many values`)
    this.context.counts.countValues(list.length)
    return list.map((element) => this.value(name, element))
  }

  list(name: string, value: unknown): readonly unknown[] {
    return present(name, value) as readonly unknown[]
  }

  count(): void {
    this.#conditions += 1
    assertWithin('conditions', this.#conditions, 'The `where` has too many conditions')
    this.context.counts.countCondition()
  }

  countJoin(): void {
    this.#joins += 1
    assertWithin('joins', this.#joins, 'The `where` follows too many references and arrays')
  }
}

/** `isThere`: whether there is a text; a missing one matches nothing. */
function wordsCondition(
  words: WordIndex | null,
  index: TextIndex | null,
  text: string,
  isThere: Condition,
): Condition {
  const field = words?.fields.findIndex((each) => each.text === index?.text) ?? -1
  if (words === null || field === -1)
    throw badInput(
      '`matches` searches free text at the top level or in objects. Use `contains` for other texts.',
    )
  const search = readSearch('matches', text, [])
  if (search === null) return isThere
  const found = searchCondition(search, words, field)
  return holdsWithoutWords(search) ? all([found, isThere]) : found
}

function urlCondition(operand: Operand, given: string): Condition {
  const normal = normalizeWrittenUrl(given.trim())
  if (normal !== null) return { kind: 'url', operand, normal }
  throw badInput(
    `\`sameUrl\` compares web addresses, and "${given.slice(0, 100)}" is none. Write one such as "https://example.com/page" or "example.com/page"; compare other URIs with \`eq\`.`,
  )
}

/** Whether an operator compiles to a condition of one of these kinds. */
export function isOperatorOf<Kind extends WhereOperator['condition']>(
  name: string,
  ...kinds: readonly Kind[]
): name is OperatorOf<Kind> {
  const operator: WhereOperator | undefined = Object.hasOwn(whereOperators, name)
    ? whereOperators[name as OperatorName]
    : undefined
  return operator !== undefined && (kinds as readonly string[]).includes(operator.condition)
}

export function isTrue(name: string, value: unknown): boolean {
  return present(name, value) === true
}

export function operand(
  table: Table | null,
  path: readonly string[],
  as: 'text' | 'integer' | 'boolean' | 'instant',
): Operand {
  const column = table === null ? undefined : findColumn(table, path, as)
  return column === undefined ? { kind: 'json', path, as } : { kind: 'column', column }
}

export function textIndexOf(table: Table | null, path: readonly string[]) {
  const column = table === null ? undefined : findColumn(table, path, 'text')
  return table?.texts.find(({ text }) => text === column) ?? null
}

/** The columns by which records that refer to a row are found: those of the reference, or of its side table when there are many. */
export function linkOf(holder: Table, reference: Reference): Link {
  if (reference.many) {
    const array = findArray(holder, reference.path, true)
    if (array !== undefined) return { kind: 'array', array }
  } else {
    const columns = findReference(holder, reference.path)
    if (columns !== undefined) return { kind: 'columns', ...columns }
  }
  throw new Error(`The reference ${reference.collection}#${reference.path.join('.')} has no columns.`)
}

/** The number of records that refer to a row by a reference. */
export function referringCount(
  { model, tables }: Pick<PlanContext, 'model' | 'tables'>,
  reference: Reference,
): ReferringCount {
  const table = tableOf({ tables }, holderOf(reference, model))
  const link = linkOf(table, reference)
  const counts = table.counts.find(
    ({ kind, columns }) => kind === 'reference' && link.kind === 'columns' && columns[0] === link.base.name,
  )
  return { kind: 'count', table, link, counts: counts ?? null }
}
