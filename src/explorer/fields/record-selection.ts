/** Selects fields of a record, and reads them from the answer. */
import { mergeSelections, nested, onType, type Selection } from '../../ask/graphql-text.ts'
import { isObject } from '../../util/is-object.ts'
import type { ShownField } from './shown-field.ts'

/** The URI of the record, and the fields that can be read. */
export function selectFields(fields: readonly ShownField[]): Selection {
  const paths = fields.flatMap((field) => [pathOf(field), namePathOf(field)])
  return mergeSelections([{ uri: {} }, ...paths.flatMap((path) => (path === null ? [] : [nested(path)]))])
}

/** The value of the field in a record of the answer; several where there is an array on the way. */
export function readField(record: unknown, field: ShownField): unknown {
  const path = pathOf(field)
  if (path === null) return undefined
  const value = readAlong(record, path)
  if (typeof value !== 'string') return value
  const namePath = namePathOf(field)
  const name = namePath === null ? null : readAlong(record, namePath)
  return typeof name === 'string' && name !== '' ? ({ uri: value, name } satisfies NamedReference) : value
}

/** What an answer has behind the fields; of several values on the way all, without missing ones. */
function readAlong(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value.flatMap((each) => readAlong(each, fields) ?? [])
  const [field, ...rest] = fields
  if (field === undefined) return value
  if (field.startsWith(onType(''))) return readAlong(value, rest)
  return isObject(value) ? readAlong(value[field.replace(/\(.*/, '')], rest) : undefined
}

/** A reference, with the text that names the record at its other end. */
export interface NamedReference {
  readonly uri: string
  readonly name: string
}

function namePathOf({ selected, targetTitle, target, isArray, many }: ShownField): readonly string[] | null {
  if (targetTitle === null || target === null || selected === null || isArray || many) return null
  return [...selected.slice(0, -1), `${selected.at(-1)}Resolved`, onType(target.typeName), targetTitle]
}

/** Null if the record behind a reference has no field in the schema, because a property has its name. */
function pathOf({ selected, type }: ShownField): readonly string[] | null {
  return selected !== null && type.kind === 'strongRef' ? [...selected, 'uri'] : selected
}
