/** The tool `describe`: what there is, what it means, and which values are in the index. */
import type { Field, FieldType } from '../schema/model.ts'
import { holderOf } from '../schema/operators.ts'
import { budgets, cutText, cutTexts, fitValue, tokensOfJson } from './budget.ts'
import type { Subject } from './collections.ts'
import { isReference, readDisplay, referenceOf, selectDisplay } from './fields.ts'
import { Bare, printLiteral, printSelection } from './graphql-text.ts'
import { type Group, parseGroup } from './groups.ts'
import { parsePath, type Path, reverseNames } from './paths.ts'
import { plainText, plainValue } from './plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import { type Tool, ToolError } from './tool.ts'

type Json = Readonly<Record<string, unknown>>
interface Counted {
  readonly groupCount: number
  readonly groups: readonly (Json & { readonly count: number })[]
}

/** Fields whose values are counted at once, and how many values of each are shown. */
const mostCounted = 10
const mostValues = 12
const mostValuesOfOne = 50

const operators =
  'text: contains startsWith (a bare string is contains) · codes, numbers, times: eq ne in notIn gt gte lt lte · lists: has hasAny hasAll · all: null. Times take "last 7 days", "today".'

export function createDescribe(toolbox: Toolbox): Tool {
  return {
    name: 'describe',
    title: 'Describe the data',
    description:
      'Call this first. Without arguments: the collections. With a collection: its fields, their meaning and the values in the index with counts. With a field too: all of it.',
    inputSchema: {
      type: 'object',
      properties: { collection: { type: 'string' }, field: { type: 'string' } },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        collections: { type: 'array', items: { type: 'object' } },
        fields: { type: 'object' },
        values: { type: 'object' },
        hint: { type: 'string' },
        query: { type: 'string' },
      },
      required: ['query'],
    },
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
  const query = `{ ${root} { count min { ${time} } max { ${time} } } ${parts.join(' ')} }`
  const data = await toolbox.ask(query, signal)
  const { count, min, max } = data[root] as { count: number; min: Json; max: Json }
  const own = collection.type.fields.map((field) => [field.name, lineOf(field, subject, toolbox)] as const)
  const fields = Object.fromEntries([...own, ...referringLines(subject, toolbox)])
  const values = counted.map(
    ({ name }) => [name, valuesOf(data[name] as Counted, (group) => group[name])] as const,
  )
  const whole = {
    collection: label,
    about: collection.type.description,
    records: count,
    time: `${time}: since, until and the newest; ${String(min[time])} to ${String(max[time])}`,
    fields,
    operators,
    query,
  }
  return fitDescription(whole, values)
}

/** Few values are expected, and counting them is cheap. */
function isCounted({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical
}

/** A list, because an object would put numbers first. */
interface Values {
  /** The most frequent, with their counts. */
  readonly shown: readonly (readonly [value: string, count: number])[]
  /** How many more there are. */
  readonly others: number
}

function valuesOf({ groupCount, groups }: Counted, keyOf: (group: Json) => unknown): Values {
  const shown = groups.map((group) => [plainText(String(keyOf(group) ?? '(missing)')), group.count] as const)
  return { shown, others: groupCount - groups.length }
}

function lineOf(field: Field, { collection }: Subject, toolbox: Toolbox): string {
  const { told, type } = field
  const target = isReference(field) ? (referenceOf(collection, field)?.target ?? null) : null
  const kind = target === null ? typeWord(type) : `→ ${toolbox.catalogue.of(target).label}`
  const { minimum, maximum } = told
  const range = minimum === null && maximum === null ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`
  const words = told.words === '' ? '' : `. ${told.words}`
  return `${kind}${range}${told.required ? ', required' : ''}${words}`
}

function typeWord(type: FieldType): string {
  switch (type.kind) {
    case 'string':
      if (type.freeText) return 'text'
      return type.code ? 'code' : type.categorical ? 'category' : (type.format ?? 'string')
    case 'array':
      return `list of ${typeWord(type.of)}`
    case 'object':
      return `object {${type.type.fields.map(({ name }) => name).join(' ')}}`
    case 'strongRef':
    case 'atUri':
      return 'reference'
    case 'datetime':
      return 'time'
    default:
      return type.kind
  }
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

/** Meanings are cut first, then the rarer values; names of fields stay. */
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

/** What is cut to the same beginning is counted together. */
function fewer({ shown, others }: Values, most: number, longest: number): Json {
  const counts = new Map<string, number>()
  for (const [value, count] of shown.slice(0, most)) {
    const cut = cutText(value, longest)
    counts.set(cut, (counts.get(cut) ?? 0) + count)
  }
  const left = others + Math.max(shown.length - most, 0)
  return Object.fromEntries([...counts, ...(left > 0 ? [['(other values)', left] as const] : [])])
}

async function describeField(
  subject: Subject,
  text: string,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<Json> {
  const { collection, label } = subject
  const path = parsePath(text, collection, toolbox)
  const about = { collection: label, field: text, ...meaningOf(path, toolbox) }
  const from = path.steps.findLast((step) => step.kind === 'reverse')
  // Values behind a reference in reverse are those of the referring collection's own field.
  const holder = from?.kind === 'reverse' ? from.holder : collection
  const rest =
    from === undefined
      ? text
      : text
          .split('.')
          .slice(path.steps.indexOf(from) + 1)
          .join('.')
  const group = groupOf(rest, holder, toolbox)
  const root = `${holder.rootField}Aggregate`
  if (group === null || path.end.kind === 'records') {
    const query = `{ ${root} { count } }`
    return fitted({ ...about, records: ((await toolbox.ask(query, signal))[root] as Json).count, query })
  }
  const { field, reference } = group
  const resolved =
    reference === null
      ? ''
      : ` ${field.name}Resolved ${printSelection(selectDisplay(reference === 'any' ? null : reference, toolbox))}`
  const given = printLiteral({ groupBy: [new Bare(field.name)], limit: mostValuesOfOne }).slice(1, -1)
  const query = `{ ${root}(${given}) { groupCount groups { ${field.name}${resolved} count } } }`
  const counted = (await toolbox.ask(query, signal))[root] as Counted
  const values = valuesOf(counted, (row) => {
    const name = readDisplay(row[`${field.name}Resolved`], reference === 'any' ? null : reference, toolbox)
    return name ?? row[field.name]
  })
  return fitValues({ ...about, distinct: counted.groupCount, query }, values)
}

function groupOf(text: string, holder: Subject['collection'], toolbox: Toolbox): Group | null {
  try {
    return parseGroup(text, holder, toolbox)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

function meaningOf({ end }: Path, toolbox: Toolbox): Json {
  if (end.kind !== 'property') return {}
  const { field, reference } = end
  const target = reference?.target ?? null
  const type = target === null ? typeWord(field.type) : `→ ${toolbox.catalogue.of(target).label}`
  const inside = objectIn(field.type)
  const members = inside?.fields.map(({ name, description }) => [name, description] as const)
  return {
    type,
    about: field.description,
    ...(members === undefined ? {} : { fields: Object.fromEntries(members) }),
  }
}

function objectIn(type: FieldType) {
  if (type.kind === 'object') return type.type
  return type.kind === 'array' && type.of.kind === 'object' ? type.of.type : undefined
}

function fitValues(whole: Json, values: Values): Json {
  const plain = plainValue(whole) as Json
  for (const [most, longest] of [
    [mostValuesOfOne, 200],
    [35, 120],
    [20, 100],
    [10, 80],
  ] as const) {
    const cut = { ...plain, values: fewer(values, most, longest) }
    if (tokensOfJson(cut) <= budgets.describe) return cut
  }
  return fitted({ ...plain, values: fewer(values, 5, 80) })
}

function fitted(whole: Json): Json {
  const { query, ...rest } = whole
  const room = budgets.describe - tokensOfJson(query) - 50
  return { ...(fitValue(plainValue(rest), room).value as Json), query: plainText(String(query)) }
}
