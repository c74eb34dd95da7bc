/** Combines GraphQL conditions: merged if they apply to one object, joined by `AND` if they would conflict. */
import type { Literal } from '../graphql/graphql-text.ts'
import type { ReverseStep, Step } from './paths.ts'

export type Where = { readonly [name: string]: Literal }

/** Applies the condition at the end of the steps. */
export function whereAlong(steps: readonly Step[], condition: Where): Where {
  return steps.reduceRight<Where>((inner, step) => {
    if (step.kind === 'reverse') return { [step.reference.viaField]: { some: inner } }
    return { [step.field.name]: step.many ? { some: inner } : inner }
  }, condition)
}

/**
 * The value at the end of the steps is missing. As in groups, a value behind a missing object or an unresolved
 * reference is missing too. With several records or elements, at least one existing one must lack the value.
 */
export function whereMissing(steps: readonly Step[], name: string): Where {
  const start = steps.findLastIndex((step) => step.kind === 'reverse' || step.many) + 1
  const single = steps.slice(start)
  if (single.length === 0) return whereAlong(steps, { [name]: { isNull: true } })
  const present = whereAlong(single, { [name]: { isNull: false } })
  return whereAlong(steps.slice(0, start), { NOT: present })
}

/** No referring record of the last step meets the condition. */
export function whereNone(steps: readonly Step[], last: ReverseStep, condition: Where): Where {
  return whereAlong(steps.slice(0, -1), { [last.reference.viaField]: { none: condition } })
}

/**
 * All conditions hold. Conditions with the same path apply to the same record: two conditions on `enrichment` must be
 * met by one enrichment.
 */
export function allOf(conditions: readonly Where[]): Where {
  const merged: Record<string, Literal> = {}
  const rest: Where[] = []
  for (const condition of conditions)
    for (const [name, value] of Object.entries(condition)) {
      const known = merged[name]
      const both = known === undefined ? value : name === 'NOT' ? null : mergeLiterals(known, value)
      if (both === null) rest.push({ [name]: value })
      else merged[name] = both
    }
  return rest.length === 0 ? merged : { ...merged, AND: [...((merged.AND ?? []) as Where[]), ...rest] }
}

/** Null if the literals cannot share one object: they contradict or repeat each other, or both contain `none`. */
function mergeLiterals(a: Literal, b: Literal): Literal | null {
  if (!isObject(a) || !isObject(b)) return null
  const merged: Record<string, Literal> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const known = merged[name]
    // Under `AND`, both still apply to the same record.
    if ((name === 'OR' || name === 'NOT') && known !== undefined) {
      merged.AND = [...((merged.AND ?? []) as Where[]), { [name]: value }]
      continue
    }
    // `none: a` with `none: b` is stricter than `none: a and b`.
    const both = known === undefined ? value : name === 'none' ? null : mergeLiterals(known, value)
    if (both === null) return null
    merged[name] = both
  }
  return merged
}

function isObject(value: Literal): value is Where {
  return typeof value === 'object' && value.constructor === Object
}
