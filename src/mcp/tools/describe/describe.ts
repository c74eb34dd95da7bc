/** The tool `describe`: the collections, the meaning of their fields, and the values in the index. */
import type { Field } from '../../../schema/model/model.ts'
import { cutTexts, fitValue } from '../../words/budget.ts'
import type { Subject } from '../../words/collections.ts'
import { describeField } from './describe-field.ts'
import { type Counted, fewer, firstFitting, kindWord } from './describe-parts.ts'
import { printField } from '../../graphql/graphql-text.ts'
import { referenceOf, reverseNames } from '../../filters/paths.ts'
import { cutText } from '../../words/plain-text.ts'
import { argumentsOf, present, type Toolbox, type ToolDefinition } from '../toolbox.ts'
import { type Json, ToolError } from '../tool.ts'

/** Fields whose values one query counts, values shown per field, and texts shown that `search` covers. */
const mostCounted = 10
const mostValues = 12
const mostSearched = 12
/** Lengths of meanings, and numbers of values, tried in this order; names of fields are never cut. */
const sizes = [
  [300, 12],
  [110, 12],
  [80, 8],
  [60, 6],
  [45, 4],
  [28, 3],
  [16, 2],
] as const

const operators =
  'text: contains (a bare string) startsWith matches (words, as search) · URLs: sameUrl (a bare URL) · codes, numbers, times: eq ne in notIn gt gte lt lte · lists: has hasAny hasAll · all: null, {ne: null}. Times take "last 7 days", "today".'
const ofReferences = ' References: a name, a URI, .isCurrent (false: what it refers to has changed since).'

interface DescribeArguments extends Json {
  readonly collection?: string
  readonly field?: string
}

export function createDescribe(): ToolDefinition {
  return {
    name: 'describe',
    title: 'Describe the data',
    description:
      'Call this first. Without arguments: the collections. With a collection: its fields, their meaning and the values in the index with counts. With a field too: all of it.',
    inputSchema: argumentsOf({ collection: 'string', field: 'string' }),
    run: describe,
  }
}

async function describe({ collection, field }: DescribeArguments, toolbox: Toolbox): Promise<Json> {
  if (collection !== undefined) {
    const subject = toolbox.catalogue.named(collection)
    return field === undefined ? describeCollection(subject, toolbox) : describeField(subject, field, toolbox)
  }
  if (field !== undefined) throw new ToolError('Name the collection that has the field, too.')
  return describeAll(toolbox)
}

async function describeAll(toolbox: Toolbox): Promise<Json> {
  const { data, asOf } = await toolbox.read('{ indexStatus { collections { name records } } }')
  const { collections } = data['indexStatus'] as { collections: readonly Json[] }
  const rows = toolbox.catalogue.subjects.map(({ collection, label }) => {
    const status = collections.find(({ name }) => name === collection.nsid)
    const names = [...reverseNames(collection, toolbox).values()]
    return {
      collection: label,
      ...(label !== collection.nsid && { nsid: collection.nsid }),
      about: cutText(collection.type.description, 160),
      records: status?.records ?? 0,
      ...present({ newest: status?.newestIndexedAt }),
      ...(names.length > 0 && names.length <= 4 && { referredToBy: names }),
    }
  })
  const whole = fitValue(present({ asOf, collections: rows }), toolbox.budget - 40).value as Json
  const shown = (whole.collections as readonly Json[]).length
  const next = rows[shown]
  if (next === undefined) return whole
  const hint = `${rows.length - shown} more collections are served, from "${next.collection}" on; the schema names all.`
  return { ...whole, hint }
}

async function describeCollection(subject: Subject, toolbox: Toolbox): Promise<Json> {
  const { collection, label, time } = subject
  const { fields, description } = collection.type
  const counted = fields.filter(isCounted).slice(0, mostCounted)
  const root = `${collection.rootField}Aggregate`
  const parts = counted.map(
    ({ name }) =>
      `${name}: ${root}(groupBy: [${name}], limit: ${mostValues}) { groupCount groups { ${name} count } }`,
  )
  // Records may lack an optional time.
  const mayLack = fields.some(({ name, constraints }) => name === time && !constraints.required)
  const lacking = printField(root, { where: { [time]: { isNull: true } } })
  const untimedPart = mayLack ? ` untimed: ${lacking} { count }` : ''
  const { data, asOf } = await toolbox.read(
    `{ ${root} { count min { ${time} } max { ${time} } }${untimedPart} ${parts.join(' ')} }`,
  )
  const { count, min, max } = data[root] as { count: number; min: Json; max: Json }
  const { count: untimed } = (data['untimed'] ?? { count: 0 }) as { count: number }
  const lines = fields.map((field) => [field.name, lineOf(field, subject, toolbox)] as const)
  const valuesOf = (name: string, most: number) =>
    fewer(data[name] as Counted, (group) => group[name], most, 40)
  const whole = {
    collection: label,
    about: description,
    records: count,
    time: `${time}: since, until and the newest; ${String(min[time])} to ${String(max[time])}${untimed === 0 ? '' : `; ${untimed} records have none, and are left out by since and until`}`,
    ...present({
      search: collection.searchFields
        .slice(0, mostSearched)
        .map(({ name }) => name)
        .join(', '),
    }),
    fields: Object.fromEntries([...lines, ...referringLines(subject, toolbox)]),
    operators: fields.some(({ type }) => type.kind === 'strongRef')
      ? `${operators}${ofReferences}`
      : operators,
    ...present({ asOf }),
  }
  const cuts = sizes.values().map(([meaning, most]) => ({
    ...whole,
    about: cutText(whole.about, 4 * meaning),
    fields: cutTexts(whole.fields, meaning),
    values: Object.fromEntries(counted.map(({ name }) => [name, valuesOf(name, most)])),
  }))
  return firstFitting(cuts, { ...whole, values: {} }, toolbox)
}

/** True for fields with few distinct values, which are cheap to count. */
function isCounted({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical
}

function lineOf(field: Field, { collection }: Subject, { catalogue }: Toolbox): string {
  const { minimum, maximum, required, words } = field.constraints
  const kind = kindWord(field.type, referenceOf(collection, field), catalogue)
  const range = minimum === null && maximum === null ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`
  return `${kind}${range}${required ? ', required' : ''}${words === '' ? '' : `. ${words}`}`
}

function referringLines({ collection }: Subject, toolbox: Toolbox): (readonly [string, string])[] {
  return Array.from(reverseNames(collection, toolbox), ([reference, name]) => {
    const { label } = toolbox.catalogue.of(reference.collection)
    return [name, `← ${label}.${reference.path.join('.')}`] as const
  }).slice(0, 12)
}
