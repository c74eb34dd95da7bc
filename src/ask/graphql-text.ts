/** Writes GraphQL literals, arguments and selections, and merges selections. It must not know names of the schema. */

/** Keys are texts of fields with their arguments, or of fragments; values are the selections inside, which may be texts too. */
export interface Selection {
  readonly [field: string]: Selection | string
}

/** A name that is printed without quotes. */
export class EnumValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export type Literal =
  | string
  | number
  | boolean
  | EnumValue
  | readonly Literal[]
  | { readonly [name: string]: Literal | undefined }

function printLiteral(value: Literal): string {
  if (value instanceof EnumValue) return value.name
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object') return String(value)
  if (isList(value)) return `[${value.map(printLiteral).join(', ')}]`
  return `{${printMembers(value)}}`
}

type Members = Readonly<Record<string, Literal | null | undefined>>

/** Omits arguments that are undefined or null. */
export function printField(name: string, given: Members): string {
  const members = printMembers(given)
  return members === '' ? name : `${name}(${members})`
}

function printMembers(members: Members): string {
  return Object.entries(members)
    .flatMap(([name, member]) => (member == null ? [] : [`${name}: ${printLiteral(member)}`]))
    .join(', ')
}

function isList(value: Literal): value is readonly Literal[] {
  return Array.isArray(value)
}

export function printSelection(selection: Selection | string): string {
  return `{ ${printFields(selection)} }`
}

/** What is inside the brackets of a selection. */
export function printFields(selection: Selection | string): string {
  if (typeof selection === 'string') return selection
  return Object.entries(selection)
    .map(([field, below]) => (isEmpty(below) ? field : `${field} ${printSelection(below)}`))
    .join(' ')
}

function isEmpty(selection: Selection | string): boolean {
  return selection === '' || Object.keys(selection).length === 0
}

export function mergeSelections(selections: readonly Selection[]): Selection {
  const merged: Record<string, Selection | string> = {}
  for (const selection of selections)
    for (const [field, below] of Object.entries(selection)) {
      const known = merged[field] ?? {}
      merged[field] =
        typeof known === 'string' || typeof below === 'string'
          ? `${printFields(known)} ${printFields(below)}`.trim()
          : mergeSelections([known, below])
    }
  return merged
}

/** `nested(['a', 'b'], c)` selects `a { b { …c } }`. */
export function nested(fields: readonly string[], inner: Selection = {}): Selection {
  return fields.reduceRight<Selection>((below, field) => ({ [field]: below }), inner)
}
