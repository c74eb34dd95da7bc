/** The tool `get_record`: one whole record, the records that it refers to, and the records that refer to it. */
import type { Collection } from '../../schema/model/model.ts'
import { holderOf } from '../../schema/model/operators.ts'
import { budgets, fitValue, tokensOfJson } from '../words/budget.ts'
import type { Subject } from '../words/collections.ts'
import { isReference, referenceOf, resolvedName, selectPaths, withoutNulls } from '../filters/fields.ts'
import { buildWhere } from '../filters/filters.ts'
import { mergeSelections, printField, printSelection, type Selection } from '../graphql/graphql-text.ts'
import { parsePath, type Path, reverseNames } from '../filters/paths.ts'
import { plainValue } from '../words/plain-text.ts'
import { rowOf } from './search-records.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, type Json, schemaOf, type Tool, ToolError } from './tool.ts'

/** Referring records shown per reverse reference, and number of reverse references shown. */
const mostReferring = 3
const mostKinds = 8

export function createGetRecord(toolbox: Toolbox): Tool {
  return {
    name: 'get_record',
    title: 'Get one record',
    description:
      'One whole record with its references and what refers to it: by uri, or by collection and the value of a unique field (default: its web address or name).',
    inputSchema: argumentsOf({
      uri: { type: 'string' },
      collection: { type: 'string' },
      field: { type: 'string' },
      value: { type: ['string', 'number'] },
    }),
    outputSchema: schemaOf(
      {
        uri: { type: 'string' },
        record: { type: 'object' },
        references: { type: 'object' },
        referredToBy: { type: 'object' },
        hint: { type: 'string' },
        query: { type: 'string' },
      },
      ['uri', 'record', 'query'],
    ),
    run: (args, signal) => getRecord(args, toolbox, signal),
  }
}

async function getRecord(args: Json, toolbox: Toolbox, signal: AbortSignal): Promise<Json> {
  const { uri, value } = args
  if (typeof uri === 'string') {
    const subject = subjectOf(uri, toolbox)
    return await byUri(uri, subject, toolbox, signal)
  }
  if (typeof args.collection !== 'string' || value === undefined)
    throw new ToolError(
      'Write the uri of the record, or collection and value, such as the web address of what it is about.',
    )
  const subject = toolbox.catalogue.named(args.collection)
  if (typeof value === 'string' && value.startsWith('at://') && args.field === undefined)
    return await byUri(value, subject, toolbox, signal)
  return await byField(args.field, value, subject, toolbox, signal)
}

function subjectOf(uri: string, toolbox: Toolbox): Subject {
  const [, nsid] = /^at:\/\/[^/]+\/([^/]+)\/[^/]+$/.exec(uri.trim()) ?? []
  if (nsid === undefined)
    throw new ToolError(
      `"${uri.slice(0, 100)}" is no AT-URI of a record, which is at://did/collection/key. For a web address, write collection and value.`,
    )
  return toolbox.catalogue.named(nsid)
}

async function byUri(uri: string, subject: Subject, toolbox: Toolbox, signal: AbortSignal): Promise<Json> {
  const root = `${subject.collection.rootField}ByUri`
  const shape = shapeOf(subject, toolbox)
  const query = `{ ${printField(root, { uri: uri.trim() })} ${printSelection(shape.selection)} }`
  const node = (await toolbox.ask(query, signal))[root] as Json | null
  if (node === null) throw new ToolError(`No ${subject.label} with the URI ${uri.slice(0, 200)} is indexed.`)
  return answer(node, shape, toolbox, query)
}

/** Finds the newest record with that value in the named field; without one, in the address fields or the name. */
async function byField(
  named: unknown,
  value: unknown,
  subject: Subject,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<Json> {
  const { collection, label, addresses, display } = subject
  const isAddress = typeof value === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(value)
  const guessed = isAddress ? addresses : display === null ? [] : [display]
  const fields = typeof named === 'string' ? [named] : guessed.map(({ name }) => name)
  if (fields.length === 0) throw new ToolError(`Name the field of ${label} that has this value.`)
  const shape = shapeOf(subject, toolbox)
  const conditions = []
  for (const field of fields)
    conditions.push(
      await buildWhere(subject, { filters: { [field]: { eq: value } } }, toolbox.filtering(signal)),
    )
  const present = conditions.filter((condition) => condition !== null)
  const [only] = present
  const where = present.length === 1 && only !== undefined ? only : { OR: present }
  const list = printField(collection.rootField, { first: 2, where })
  const query = `{ ${list} ${printSelection({ nodes: shape.selection })} }`
  const { nodes } = (await toolbox.ask(query, signal))[collection.rootField] as { nodes: readonly Json[] }
  const [node, second] = nodes
  // The name may be spelt differently.
  if (node === undefined && typeof value === 'string' && named === undefined && !isAddress) {
    const uri = await toolbox.filtering(signal).findByName(value, collection)
    return byUri(uri, subject, toolbox, signal)
  }
  if (node === undefined)
    throw new ToolError(
      `No ${label} has ${String(value).slice(0, 200)} in ${fields.join(' or ')}. Look for it with search_records.`,
    )
  const hint = second === undefined ? null : 'More than one record has this value; this is the newest.'
  return answer(node, shape, toolbox, query, hint)
}

/** The selection, and how to read its parts from the answer. */
interface Shape {
  readonly subject: Subject
  readonly selection: Selection
  readonly references: readonly {
    readonly name: string
    readonly resolved: string
    readonly target: Subject
    readonly paths: readonly Path[]
  }[]
  readonly referring: readonly {
    readonly name: string
    readonly via: string
    readonly holder: Subject
    readonly paths: readonly Path[]
  }[]
}

function shapeOf(subject: Subject, toolbox: Toolbox): Shape {
  const { collection } = subject
  const { catalogue, schema } = toolbox
  const references = collection.type.fields.filter(isReference).flatMap((field) => {
    const target = referenceOf(collection, field)?.target ?? null
    const resolved = resolvedName(schema, collection.typeName, field)
    if (target === null || resolved === null) return []
    return [
      {
        name: field.name,
        resolved,
        target: catalogue.of(target),
        paths: briefPaths(catalogue.of(target), null, toolbox),
      },
    ]
  })
  const referring = Array.from(reverseNames(collection, toolbox), ([reference, name]) => {
    const holder = catalogue.of(holderOf(reference, catalogue.model).nsid)
    // Without the reference to this record, which is the same for all.
    return {
      name,
      via: reference.viaField,
      holder,
      paths: briefPaths(holder, reference.path[0] ?? null, toolbox),
    }
  }).slice(0, mostKinds)
  const selection = mergeSelections([
    { uri: {}, indexedAt: {}, recordJson: {} },
    ...references.map(({ resolved, target, paths }) => ({
      [resolved]: {
        [`... on ${target.collection.typeName}`]: mergeSelections([{ uri: {} }, selectPaths(paths, toolbox)]),
      },
    })),
    ...referring.map(({ via, paths }) => ({
      [`${via}(first: ${mostReferring})`]: {
        totalCount: {},
        nodes: mergeSelections([{ uri: {} }, selectPaths(paths, toolbox)]),
      },
    })),
  ])
  return { subject, selection, references, referring }
}

/** The short form of a related record, without the field `without` and without lists of references. */
function briefPaths({ brief, collection }: Subject, without: string | null, toolbox: Toolbox): Path[] {
  return brief
    .filter((name) => name !== without && !leads(name, collection))
    .map((name) => parsePath(name, collection, toolbox))
}

function leads(name: string, { type }: Collection): boolean {
  const field = type.fields.find((one) => one.name === name)
  return field !== undefined && isReference(field) && field.type.kind === 'array'
}

function answer(node: Json, shape: Shape, toolbox: Toolbox, query: string, hint: string | null = null): Json {
  const { $type: _, ...record } = node.recordJson as Json
  const references = shape.references.flatMap(({ name, resolved, paths }): [string, unknown][] => {
    const found = node[resolved]
    if (found === null || found === undefined) return []
    if (!Array.isArray(found)) return [[name, rowOf(found as Json, paths, toolbox)]]
    return [[name, found.flatMap((one) => (one === null ? [] : [rowOf(one, paths, toolbox)]))]]
  })
  const referring = shape.referring.flatMap(({ name, via, paths }): [string, unknown][] => {
    const { totalCount, nodes } = node[via] as { totalCount: number; nodes: readonly Json[] }
    if (totalCount === 0) return []
    return [[name, { total: totalCount, newest: nodes.map((one) => rowOf(one, paths, toolbox)) }]]
  })
  const whole = plainValue({
    uri: node.uri,
    collection: shape.subject.label,
    indexedAt: node.indexedAt,
    record: withoutNulls(record),
    ...(references.length > 0 ? { references: Object.fromEntries(references) } : {}),
    ...(referring.length > 0 ? { referredToBy: Object.fromEntries(referring) } : {}),
  })
  const room = budgets.get_record - tokensOfJson(query) - 60
  const { value, cut, shortened } = fitValue(whole, room)
  const note =
    shortened || cut.length > 0
      ? 'Cut to fit: long texts end in …, and lists may lack their ends; run_graphql has single fields.'
      : null
  const said = [hint, note].filter((sentence) => sentence !== null).join(' ')
  return { ...(value as Json), ...(said === '' ? {} : { hint: said }), query }
}
