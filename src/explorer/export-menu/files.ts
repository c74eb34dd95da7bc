/** Addresses of exports: the records of a list, or the groups of an aggregate, as files (docs/export.md). */
import { type GraphQLSchema, isObjectType } from 'graphql'
import { type FileFormat, fileFormats } from '../../files/file-spec.ts'
import { usualColumns } from '../../schema/graphql/usual-columns.ts'
import { longestAddress } from '../addresses.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import type { View } from '../view/view.ts'
import { recordArguments } from '../view/where.ts'

export interface ExportedFile {
  readonly format: FileFormat
  /** From the first slash. */
  readonly path: string
}

/** Arguments as in GraphQL, which become JSON; texts stay texts. Those that are undefined are left out. */
export type FileArguments = Readonly<Record<string, unknown>>

export function recordFiles(nsid: string, args: FileArguments): readonly ExportedFile[] {
  return filesAt((format) => `/export/${nsid}.${format}`, args)
}

/** `groupBy` as names separated by commas, `fields` as the measures. */
export function groupFiles(nsid: string, args: FileArguments): readonly ExportedFile[] {
  return filesAt((format) => `/export/${nsid}/aggregate.${format}`, args)
}

/** None where the arguments are longer than an address may be. */
function filesAt(pathOf: (format: FileFormat) => string, args: FileArguments): readonly ExportedFile[] {
  const query = queryOf(args)
  return fileFormats
    .map((format) => ({ format, path: pathOf(format) + query }))
    .filter(({ path }) => path.length <= longestAddress)
}

/** `columns`: null for all scalar fields. */
export function viewFiles(
  view: View,
  subject: Subject,
  columns: readonly ShownField[] | null,
  schema: GraphQLSchema,
): readonly ExportedFile[] {
  const { sort } = view
  return recordFiles(subject.collection.nsid, {
    ...recordArguments(view),
    sortBy: sort === null ? undefined : `${sort.field}:${sort.direction}`,
    fields: columns === null ? allColumns(subject, schema) : columnNames(columns),
  })
}

/**
 * An export has dots where names of fields have underscores; an element of an array is a part of its column. The name
 * of what a reference leads to stands before the reference.
 */
function columnNames(columns: readonly ShownField[]): string {
  const names = columns.flatMap((field) => {
    const { steps, many } = field
    const array = steps.findIndex(({ some }) => some)
    const path = many ? steps.slice(0, array + 1) : steps
    const column = path.map(({ name }) => name).join('.')
    return [...(isNamed(field) ? [`${column}.${field.targetTitle}`] : []), column]
  })
  return [...new Set(['uri', ...names])].join(',')
}

/** The columns of a file without `fields`, and the names of records; undefined where no reference leads to names. */
export function allColumns(
  { collection: { typeName }, fields }: Subject,
  schema: GraphQLSchema,
): string | undefined {
  const type = schema.getType(typeName)
  if (!isObjectType(type) || ![...fields.values()].some((field) => field.isOwn && isNamed(field)))
    return undefined
  const columns = usualColumns(type).flatMap((column) => {
    const field = fields.get(column.replace(/\.uri$/, ''))
    return [...(field !== undefined && isNamed(field) ? [`${field.name}.${field.targetTitle}`] : []), column]
  })
  return columns.join(',')
}

/** Whether the records that the field refers to have names. */
function isNamed({ many, isArray, target, targetTitle }: ShownField): boolean {
  return !many && !isArray && target !== null && targetTitle !== null
}

function queryOf(args: FileArguments): string {
  const parameters = Object.entries(args)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encode(typeof value === 'string' ? value : JSON.stringify(value))}`)
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}

/** Also the characters that shells and programming languages read as ends of texts. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%2C', ',')
    .replaceAll("'", '%27')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
}
