/** Conditions of GraphQL put together: nested where they speak of one thing, joined where they would overwrite each other. */
import type { Literal } from '../graphql/graphql-text.ts'
import type { Path, Step } from './paths.ts'

export type Where = { readonly [name: string]: Literal }

/** The condition at the end of the steps. */
export function whereAlong(steps: readonly Step[], condition: Where): Where {
  return steps.reduceRight<Where>((inner, step) => {
    if (step.kind === 'reverse') return { [step.reference.viaField]: { some: inner } }
    return { [step.field.name]: step.many ? { some: inner } : inner }
  }, condition)
}

/**
 * Nothing is at the end of the steps: as in groups, also where a reference or an object on the way leads to nothing. Of
 * several records or elements it is asked of one of those that there are.
 */
export function whereMissing(steps: readonly Step[], name: string): Where {
  const start = steps.findLastIndex((step) => step.kind === 'reverse' || step.many) + 1
  const single = steps.slice(start)
  if (single.length === 0) return whereAlong(steps, { [name]: { isNull: true } })
  const present = whereAlong(single, { [name]: { isNull: false } })
  return whereAlong(steps.slice(0, start), { NOT: present })
}

/** Whether one of the referring records lacks it, rather than having it. */
export function whereNone(path: Path, condition: Where): Where {
  const last = path.steps.at(-1)
  if (last?.kind !== 'reverse') throw new Error('Only referring records can be missing.')
  return whereAlong(path.steps.slice(0, -1), { [last.reference.viaField]: { none: condition } })
}

/**
 * All of them hold. What goes the same way is asked of the same record: two conditions on `enrichment` are met by one
 * enrichment.
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

/** Null where they contradict or repeat each other, and where both say what no record may have. */
function mergeLiterals(a: Literal, b: Literal): Literal | null {
  if (!isObject(a) || !isObject(b)) return null
  const merged: Record<string, Literal> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const known = merged[name]
    // Both are asked of the same record still.
    if ((name === 'OR' || name === 'NOT') && known !== undefined) {
      merged.AND = [...((merged.AND ?? []) as Where[]), { [name]: value }]
      continue
    }
    // No record with one and none with the other is not no record with both.
    const both = known === undefined ? value : name === 'none' ? null : mergeLiterals(known, value)
    if (both === null) return null
    merged[name] = both
  }
  return merged
}

function isObject(value: Literal): value is Where {
  return typeof value === 'object' && value.constructor === Object
}
