/** Writes GraphQL literals, arguments and selections, and merges selections. It must not know names of the schema. */

/** Keys are texts of fields with their arguments (`printField`) or of fragments; values are the selections inside. */
export interface Selection {
  readonly [field: string]: Selection
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

export function printSelection(selection: Selection): string {
  return `{ ${printFields(selection)} }`
}

/** What is inside the brackets of a selection. */
export function printFields(selection: Selection): string {
  return Object.entries(selection)
    .map(([field, below]) => (isEmpty(below) ? field : `${field} ${printSelection(below)}`))
    .join(' ')
}

/** For readers: plain fields side by side, and each other one in a line of its own, or in several if it is long. */
export function printLines(selection: Selection): string {
  const lines = ['']
  for (const [field, below] of Object.entries(selection)) {
    const line = isEmpty(below) ? `${lines.pop()} ${field}`.trim() : `${field} ${printSelection(below)}`
    const isLong = !isEmpty(below) && line.length > longestLine
    lines.push(isLong ? `${field} {\n${indent(printLines(below), 2)}\n}` : line)
    if (!isEmpty(below)) lines.push('')
  }
  return lines.filter((line) => line !== '').join('\n')
}

const longestLine = 100

export function indent(text: string, by: number): string {
  return text.replaceAll(/^/gm, ' '.repeat(by))
}

function isEmpty(selection: Selection): boolean {
  return Object.keys(selection).length === 0
}

/** Fields with nothing inside. */
export function leaves<Name extends string>(...fields: readonly Name[]): Readonly<Record<Name, Selection>> {
  return Object.fromEntries(fields.map((field) => [field, {}])) as Record<Name, Selection>
}

/** The key of what is selected of records of one type, where others may be too. */
export function onType(typeName: string): string {
  return `... on ${typeName}`
}

export function mergeSelections(selections: readonly Selection[]): Selection {
  const merged: Record<string, Selection> = {}
  for (const selection of selections)
    for (const [field, below] of Object.entries(selection))
      merged[field] = mergeSelections([merged[field] ?? {}, below])
  return merged
}

/** `nested(['a', 'b'], c)` selects `a { b { …c } }`. */
export function nested(fields: readonly string[], inner: Selection = {}): Selection {
  return fields.reduceRight<Selection>((below, field) => ({ [field]: below }), inner)
}
