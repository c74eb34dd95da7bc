/** Names and addresses of files: the rows of a panel, which are the answer to its query in another format (docs/export.md). */
import { type GraphQLSchema, isObjectType } from 'graphql'
import { type FileFormat, fileFormats } from '../../files/file-spec.ts'
import { usualPaths } from '../../schema/graphql/usual-selection.ts'
import { longestAddress } from '../addresses.ts'
import { subjectLabel } from '../fields/labels.ts'
import { selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { mergeSelections, nested, type Selection } from '../../ask/graphql-text.ts'
import { buildOperation, type Panel } from '../../ask/operation.ts'
import type { Names } from '../parts/values.ts'
import { recordKey } from '../../util/text/record-key.ts'
import type { Condition } from '../view/conditions.ts'
import type { View } from '../view/view.ts'

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
  const filesOf = (nodes: Selection, called = name) =>
    panelFiles(schema, { field: rootField, arguments: args, selection: { nodes } }, called)
  const selected = (shown: readonly ShownField[]) => selectFields(shown.filter(isInRow))
  // Readers look at the headline first, and hardly ever at the address of the record.
  const { uri = {}, ...first } = selected(columns)
  const whole = mergeSelections([...usual, selected([...fields.values()].filter(isNamed))])
  const isCsv = ({ format }: ExportedFile) => format === 'csv'
  return [
    ...filesOf({ ...first, uri }).filter((file) => isTable || isCsv(file)),
    ...filesOf(whole, `${name}-all-columns`)
      .filter(isCsv)
      .map((file) => ({ ...file, isWhole: true })),
    ...(isTable ? [] : filesOf(whole).filter((file) => !isCsv(file))),
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

/** Characters of a name. */
const longest = 100

/** `articles-climate-en-2023-by-week`, in English but for `names`. `more`: what the file shows of the records. */
export function fileName(
  { search, conditions }: View,
  subject: PageSubject,
  more: readonly string[] = [],
  names?: Names,
): string {
  const label = subjectLabel(subject, { tag: 'en' })
  const year = wholeYear(conditions, subject)
  const parts = conditions
    .filter(({ field }) => year === null || field.name !== subject.roles.time)
    .flatMap((condition) => partsOf(condition, names))
  return [label, search, ...parts, ...(year === null ? [] : [year]), ...more]
    .join(' ')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^[-\p{M}]+/gu, '')
    .slice(0, longest)
    .toWellFormed()
    .replace(/[-\uFFFD]+$/, '')
}

function partsOf({ field, operator, values }: Condition, names?: Names): readonly string[] {
  const shown = values.map(
    (value) => names?.get(value) ?? (value.startsWith('at://') ? recordKey(value) : value),
  )
  if (operator === 'is') return shown
  if (operator === 'missing') return [values[0] === '1' ? 'without' : 'with', field.name]
  return field.type.kind === 'datetime' ? [operator, ...shown] : [field.name, operator, ...shown]
}

/** `2023`, where that is the period. */
function wholeYear(conditions: readonly Condition[], { roles }: PageSubject): string | null {
  const times = conditions.filter(({ field }) => field.name === roles.time)
  const [from, to] = (['from', 'to'] as const).map(
    (operator) => times.find((each) => each.operator === operator)?.values[0] ?? '',
  )
  const year = from?.slice(0, 4) ?? ''
  return times.length === 2 && from === `${year}-01-01` && to === `${year}-12-31` ? year : null
}
