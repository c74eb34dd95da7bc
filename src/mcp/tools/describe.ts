/** The tool `describe`: the collections, the meaning of their fields, and the values in the index. */
import type { Field } from '../../schema/model/model.ts'
import { holderOf } from '../../schema/model/operators.ts'
import { budgets, cutText, cutTexts, tokensOfJson } from '../words/budget.ts'
import type { Subject } from '../words/collections.ts'
import { describeField } from './describe-field.ts'
import { type Counted, fewer, fitted, typeWord, valuesOf, type Values } from './describe-parts.ts'
import { isReference, referenceOf } from '../filters/fields.ts'
import { printField } from '../graphql/graphql-text.ts'
import { reverseNames } from '../filters/paths.ts'
import { plainValue } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, type Json, schemaOf, type Tool, ToolError } from './tool.ts'

/** Fields whose values one query counts, and values shown per field. */
const mostCounted = 10
const mostValues = 12

const operators =
  'text: contains startsWith (a bare string is contains) · codes, numbers, times: eq ne in notIn gt gte lt lte · lists: has hasAny hasAll · all: null, {ne: null}. Times take "last 7 days", "today".'
const ofReferences = ' References: a name, a URI, .isCurrent (false: what it refers to has changed since).'

export function createDescribe(toolbox: Toolbox): Tool {
  return {
    name: 'describe',
    title: 'Describe the data',
    description:
      'Call this first. Without arguments: the collections. With a collection: its fields, their meaning and the values in the index with counts. With a field too: all of it.',
    inputSchema: argumentsOf({ collection: { type: 'string' }, field: { type: 'string' } }),
    outputSchema: schemaOf(
      {
        collections: { type: 'array', items: { type: 'object' } },
        fields: { type: 'object' },
        values: { type: 'object' },
        hint: { type: 'string' },
        query: { type: 'string' },
      },
      ['query'],
    ),
    run: (args, signal) => {
      if (typeof args.collection !== 'string') {
        if (args.field !== undefined) throw new ToolError('Name the collection that has the field, too.')
        return describeAll(toolbox, signal)
      }
      const subject = toolbox.catalogue.named(args.collection)
      if (typeof args.field !== 'string') return describeCollection(subject, toolbox, signal)
      return describeField(subject, args.field, toolbox, signal)
    },
  }
}

async function describeAll(toolbox: Toolbox, signal: AbortSignal): Promise<Json> {
  const query = '{ indexStatus { collections { name records newestIndexedAt } } }'
  const data = await toolbox.ask(query, signal)
  const { collections } = data.indexStatus as { collections: readonly Json[] }
  const rows = toolbox.catalogue.subjects.map(({ collection, label }) => {
    const status = collections.find(({ name }) => name === collection.nsid)
    const names = [...reverseNames(collection, toolbox).values()]
    return {
      collection: label,
      ...(label === collection.nsid ? {} : { nsid: collection.nsid }),
      about: cutText(collection.type.description, 160),
      records: status?.records ?? 0,
      ...(status?.newestIndexedAt ? { newest: status.newestIndexedAt } : {}),
      ...(names.length > 0 && names.length <= 4 ? { referredToBy: names } : {}),
    }
  })
  const whole = fitted({ collections: rows, query })
  const more = rows.length - (whole.collections as readonly Json[]).length
  const [next] = rows.slice(-more)
  if (more === 0 || next === undefined) return whole
  return {
    ...whole,
    hint: `${more} more collections are served, from "${next.collection}" on; the schema names all.`,
  }
}

async function describeCollection(subject: Subject, toolbox: Toolbox, signal: AbortSignal): Promise<Json> {
  const { collection, label, time } = subject
  const counted = collection.type.fields.filter(isCounted).slice(0, mostCounted)
  const root = `${collection.rootField}Aggregate`
  const parts = counted.map(
    ({ name }) =>
      `${name}: ${root}(groupBy: [${name}], limit: ${mostValues}) { groupCount groups { ${name} count } }`,
  )
  // Records may lack an optional time.
  const mayLack = collection.type.fields.some(
    ({ name, constraints }) => name === time && !constraints.required,
  )
  const lacking = printField(root, { where: { [time]: { isNull: true } } })
  const untimed = mayLack ? ` untimed: ${lacking} { count }` : ''
  const query = `{ ${root} { count min { ${time} } max { ${time} } }${untimed} ${parts.join(' ')} }`
  const data = await toolbox.ask(query, signal)
  const { count, min, max } = data[root] as { count: number; min: Json; max: Json }
  const without = (data['untimed'] as { count: number } | undefined)?.count ?? 0
  const own = collection.type.fields.map((field) => [field.name, lineOf(field, subject, toolbox)] as const)
  const fields = Object.fromEntries([...own, ...referringLines(subject, toolbox)])
  const values = counted.map(
    ({ name }) => [name, valuesOf(data[name] as Counted, (group) => group[name])] as const,
  )
  const whole = {
    collection: label,
    about: collection.type.description,
    records: count,
    time: `${time}: since, until and the newest; ${String(min[time])} to ${String(max[time])}${without === 0 ? '' : `; ${without} records have none, and are left out by since and until`}`,
    fields,
    operators: collection.type.fields.some(({ type }) => type.kind === 'strongRef')
      ? `${operators}${ofReferences}`
      : operators,
    query,
  }
  return fitDescription(whole, values)
}

/** True for fields with few distinct values, which are cheap to count. */
function isCounted({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical
}

function lineOf(field: Field, { collection }: Subject, toolbox: Toolbox): string {
  const { constraints, type } = field
  const target = isReference(field) ? (referenceOf(collection, field)?.target ?? null) : null
  const kind = target === null ? typeWord(type) : `→ ${toolbox.catalogue.of(target).label}`
  const { minimum, maximum } = constraints
  const range = minimum === null && maximum === null ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`
  const words = constraints.words === '' ? '' : `. ${constraints.words}`
  return `${kind}${range}${constraints.required ? ', required' : ''}${words}`
}

function referringLines({ collection }: Subject, toolbox: Toolbox): (readonly [string, string])[] {
  return Array.from(reverseNames(collection, toolbox), ([reference, name]) => {
    const { nsid } = holderOf(reference, toolbox.catalogue.model)
    return [name, `← ${toolbox.catalogue.of(nsid).label}.${reference.path.join('.')}`] as const
  }).slice(0, 12)
}

interface Description extends Json {
  readonly about: string
  readonly fields: Json
}

/** Cuts meanings first, then the rarer values; keeps the names of fields. */
function fitDescription(whole: Description, values: readonly (readonly [string, Values])[]): Json {
  const plain = plainValue(whole) as Description
  for (const [meaning, most] of [
    [300, 12],
    [110, 12],
    [80, 8],
    [60, 6],
    [45, 4],
    [28, 3],
    [16, 2],
  ] as const) {
    const cut = {
      ...plain,
      about: cutText(plain.about, 4 * meaning),
      fields: cutTexts(plain.fields, meaning) as Json,
      values: Object.fromEntries(values.map(([name, counted]) => [name, fewer(counted, most, 40)])),
    }
    if (tokensOfJson(cut) <= budgets.describe) return cut
  }
  return fitted({ ...plain, values: {} })
}
