/** The operators of one value as conditions, and the limits of a `where`, which count as it is built. */
import type { ColumnValue } from '../../database/database.ts'
import type { TextIndex } from '../../database/layout/tables.ts'
import { isOperatorOf } from '../../schema/model/where-operators.ts'
import { foldText } from '../../util/text/fold.ts'
import { assertWithin } from '../parse/limits.ts'
import { all, constant, missing, missingReference } from './conditions.ts'
import { checkedText, type PlanContext, present } from './context.ts'
import type { Condition, Operand, ReferenceOperand } from './plan.ts'

export type Input = Readonly<Record<string, unknown>>

export class OperatorBuilder {
  readonly #context: PlanContext
  #conditions = 0
  #joins = 0

  constructor(context: PlanContext) {
    this.#context = context
  }

  scalar(
    operand: Operand,
    input: Input,
    type: 'string' | 'datetime' | 'integer' | 'boolean',
    mayMiss: boolean,
    index: TextIndex | null = null,
  ): Condition {
    return all(
      Object.entries(input).map(([name, value]): Condition => {
        this.count()
        if (!isOperatorOf(name, 'compare', 'in', 'text', 'missing'))
          throw new Error(`A value has no operator ${name}.`)
        switch (name) {
          case 'isNull':
            return missing(operand, present(name, value) === true, mayMiss, index)
          case 'in':
          case 'notIn': {
            const [list, negated] = [this.values(name, value), name === 'notIn']
            if (list.length > 0) return { kind: 'in', operand, list, negated }
            return negated ? missing(operand, false, mayMiss, index) : constant(false)
          }
          case 'contains':
          case 'startsWith': {
            const given = String(this.value(name, value))
            assertWithin('needle', given.length, `\`${name}\` looks for too many characters`)
            const needle = foldText(given)
            if (needle === '') return missing(operand, false, mayMiss, index)
            return { kind: 'text', operand, index, match: name, needle }
          }
          case 'eq':
          case 'ne':
          case 'gt':
          case 'gte':
          case 'lt':
          case 'lte': {
            const to = this.value(name, value)
            return { kind: 'compare', operand, op: name, to: type === 'boolean' ? Number(to) : to }
          }
        }
      }),
    )
  }

  uri(of: ReferenceOperand | null, input: Input): Condition {
    return all(
      Object.entries(input).map(([name, value]): Condition => {
        this.count()
        if (name === 'isNull') {
          const is = present(name, value) === true
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
    return all([this.uri(null, parts), this.scalar({ kind: 'system', name: 'uri' }, rest, 'string', false)])
  }

  value(name: string, value: unknown): ColumnValue {
    const given = present(name, value)
    if (typeof given === 'string') return checkedText(name, given)
    return typeof given === 'boolean' ? Number(given) : (given as ColumnValue)
  }

  values(name: string, value: unknown): readonly ColumnValue[] {
    const list = this.list(name, value)
    assertWithin('listValues', list.length, `\`${name}\` has too many values`)
    this.#context.asked.countValues(list.length)
    return list.map((element) => this.value(name, element))
  }

  list(name: string, value: unknown): readonly unknown[] {
    return present(name, value) as readonly unknown[]
  }

  count(): void {
    this.#conditions += 1
    assertWithin('conditions', this.#conditions, 'The `where` has too many conditions')
    this.#context.asked.countCondition()
  }

  countJoin(): void {
    this.#joins += 1
    assertWithin('joins', this.#joins, 'The `where` follows too many references and arrays')
  }
}
