/** Addresses of files: the rows of a panel, which are the answer to its query in another format (docs/export.md). */
import { type GraphQLSchema, isObjectType } from 'graphql'
import { type FileFormat, fileFormats } from '../../files/file-spec.ts'
import { usualPaths } from '../../schema/graphql/usual-selection.ts'
import { longestAddress } from '../addresses.ts'
import { selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { mergeSelections, nested, type Selection } from '../../ask/graphql-text.ts'
import { buildOperation, type Panel } from '../../ask/operation.ts'

export const graphqlPath = '/api/graphql'

export interface ExportedFile {
  readonly format: FileFormat
  /** From the first slash. */
  readonly path: string
  /** Whether the file has all fields, next to one of those that most readers want. */
  readonly isWhole?: boolean
}

/** The panel selects rows alone. None where its query is longer than an address may be. `name`: of the files. */
export function panelFiles(
  schema: GraphQLSchema,
  panel: Omit<Panel, 'name'>,
  name: string,
): readonly ExportedFile[] {
  const { query, variables } = buildOperation(schema, 'File', [{ ...panel, name: 'rows' }])
  const asked = `query=${encode(query.replaceAll(/\s+/g, ' '))}&variables=${encode(JSON.stringify(variables))}`
  return fileFormats
    .map((format) => ({ format, path: `${graphqlPath}?format=${format}&name=${encode(name)}&${asked}` }))
    .filter(({ path }) => path.length <= longestAddress)
}

/** `columns`: of a table; otherwise of CSV alone. Other files have all scalar fields, references, and names behind these. */
export function recordFiles(
  schema: GraphQLSchema,
  { collection, fields }: PageSubject,
  args: Panel['arguments'],
  name: string,
  columns: readonly ShownField[],
  isTable = false,
): readonly ExportedFile[] {
  const { rootField, typeName } = collection
  const type = schema.getType(typeName)
  const usual = isObjectType(type) ? usualPaths(type).map((path) => nested(path)) : []
  const filesOf = (shown: readonly ShownField[], more: readonly Selection[], called = name) => {
    const selection = { nodes: mergeSelections([...more, selectFields(shown.filter(isInRow))]) }
    return panelFiles(schema, { field: rootField, arguments: args, selection }, called)
  }
  const named = [...fields.values()].filter(isNamed)
  const whole = filesOf(named, usual, `${name}-all-columns`).filter(({ format }) => format === 'csv')
  return [
    ...filesOf(columns, []).filter(({ format }) => isTable || format === 'csv'),
    ...whole.map((file) => ({ ...file, isWhole: true })),
    ...(isTable ? [] : filesOf(named, usual).filter(({ format }) => format !== 'csv')),
  ]
}

/** Whether it is a reference of the record itself to records with names. */
function isNamed({ isOwn, many, isArray, target, targetTitle }: ShownField): boolean {
  return isOwn && !many && !isArray && target !== null && targetTitle !== null
}

/** Fields of referring records are left out, because there may be many such records. */
function isInRow({ steps }: ShownField): boolean {
  return !steps.some(({ some, record }) => some && record !== null)
}

/** Also the characters that shells and programming languages read as ends of texts. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%2C', ',')
    .replaceAll("'", '%27')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
}
