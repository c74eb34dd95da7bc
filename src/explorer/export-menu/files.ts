/** Addresses of exports: the records of a list, or the groups of an aggregate, as files (docs/export.md). */
import { type FileFormat, fileFormats } from '../../files/file-spec.ts'
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
  return fileFormats.map((format) => ({ format, path: `/export/${nsid}.${format}${queryOf(args)}` }))
}

/** `groupBy` as names separated by commas, `fields` as the measures. */
export function groupFiles(nsid: string, args: FileArguments): readonly ExportedFile[] {
  return fileFormats.map((format) => ({
    format,
    path: `/export/${nsid}/aggregate.${format}${queryOf(args)}`,
  }))
}

/** `columns`: null for all scalar fields. */
export function viewFiles(
  view: View,
  subject: Subject,
  columns: readonly ShownField[] | null,
): readonly ExportedFile[] {
  const { sort } = view
  return recordFiles(subject.collection.nsid, {
    ...recordArguments(view, subject),
    sortBy: sort === null ? undefined : `${sort.field}:${sort.direction}`,
    fields: columns === null ? undefined : columnNames(columns),
  })
}

/** An export has dots where names of fields have underscores; an element of an array is a part of its column. */
function columnNames(columns: readonly ShownField[]): string {
  const names = columns.map(({ steps, many }) => {
    const array = steps.findIndex(({ some }) => some)
    const path = many ? steps.slice(0, array + 1) : steps
    return path.map(({ name }) => name).join('.')
  })
  return [...new Set(['uri', ...names])].join(',')
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
