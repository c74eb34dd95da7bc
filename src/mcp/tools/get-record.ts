/** The tool `get_record`: one whole record, the records that it refers to, and the records that refer to it. */
import { isUrl } from '../../schema/model/where-operators.ts'
import { fitValue } from '../words/budget.ts'
import { tokensOfJson } from '../words/tokens.ts'
import type { Subject } from '../../ask/collections.ts'
import { readRow, resolvedName, selectRow, withoutNulls } from '../../ask/selection.ts'
import { buildWhere } from '../../ask/filters.ts'
import type { Selection } from '../../ask/graphql-text.ts'
import { EnumValue, mergeSelections, nested, onType, printField } from '../../ask/graphql-text.ts'
import { isReference, parsePath, referenceOf, reverseNames } from '../../ask/paths.ts'
import type { IndexRead, Toolbox, ToolDefinition } from './toolbox.ts'
import { argumentsOf, citationOf, present, sentences } from './toolbox.ts'
import { AskError } from '../../ask/ask-error.ts'
import { isObject, type Json } from '../../util/is-object.ts'

/** Referring records shown per reverse reference, and number of reverse references shown. */
const mostReferring = 3
const mostKinds = 8
/** Calls shown that list all referring records. */
const mostCalls = 3

interface Asked {
  readonly subject: Subject
  readonly args: GetArguments
  readonly toolbox: Toolbox
}

interface GetArguments extends Json {
  readonly uri?: string
  readonly collection?: string
  readonly field?: string
  readonly value?: string
  readonly cite?: boolean
}

export const getRecordTool: ToolDefinition = {
  name: 'get_record',
  title: 'Get one record',
  description:
    'One whole record with its references and what refers to it. value: its URI, record key, URL, domain or name, or with field its value there.',
  inputSchema: argumentsOf({
    uri: 'string',
    collection: 'string',
    field: 'string',
    value: 'string',
    cite: 'boolean',
  }),
  run: getRecord,
}

async function getRecord(args: GetArguments, toolbox: Toolbox): Promise<Json> {
  const { catalogue, names } = toolbox
  const { uri, collection, field, value = uri } = args
  if (uri !== undefined && value !== uri)
    throw new AskError('uri and value name different records: leave one of them out.')
  if (value === undefined || value.trim() === '')
    throw new AskError('Write in value which record: its URI, record key, URL, domain or name.')
  const subject = collection === undefined ? null : catalogue.named(collection)
  if (field !== undefined) {
    if (subject !== null) return byField(field, value, { subject, args, toolbox })
    throw new AskError('Write the collection, too, whose field has this value.')
  }
  const text = value.trim()
  if (text.startsWith('at://'))
    return byUri(text, { subject: catalogue.named(collectionOf(text)), args, toolbox })
  const found = await names.record(text, subject)
  const others = catalogue.subjects.filter((one) => !catalogue.referred.includes(one))
  const isKey = subject === null && found.key === text && found.apart !== text && others.length > 0
  const keys = `Keys of ${others.map(({ label }) => label).join(', ')} are looked for only with collection.`
  return byUri(found.uri, { subject: found.subject, args, toolbox }, isKey ? keys : null)
}

function collectionOf(uri: string): string {
  const [, nsid] = /^at:\/\/[^/]+\/([^/]+)\/[^/]+$/.exec(uri.trim()) ?? []
  if (nsid !== undefined) return nsid
  throw new AskError(`"${uri.slice(0, 100)}" is not an AT-URI of a record, which is at://did/collection/key.`)
}

async function byUri(uri: string, asked: Asked, hint: string | null = null): Promise<Json> {
  const { subject, toolbox } = asked
  const root = `${subject.collection.rootField}ByUri`
  const parts = partsOf(asked)
  const read = await toolbox.read({ [printField(root, { uri: uri.trim() })]: parts.selection })
  const node = read.data[root] as Json | null
  if (node === null) throw new AskError(`No ${subject.label} with the URI ${uri.slice(0, 200)} is indexed.`)
  return answer(node, parts, read, asked, hint)
}

/** Finds the newest record with that value in the field. */
async function byField(field: string, value: string, asked: Asked): Promise<Json> {
  const { subject, toolbox } = asked
  const { collection, label } = subject
  const { end } = parsePath(field, collection, toolbox)
  const isAddress = end.kind === 'property' && isUrl(end.field.type)
  const filters = { [field]: isAddress ? value : { eq: value } }
  const where = await buildWhere(subject, { filters }, toolbox)
  const parts = partsOf(asked)
  const list = printField(collection.rootField, { first: 2, where })
  const read = await toolbox.read({ [list]: { nodes: parts.selection } })
  const { nodes } = read.data[collection.rootField] as { nodes: readonly Json[] }
  const [node, second] = nodes
  if (node === undefined)
    throw new AskError(`No ${label} has ${value.slice(0, 200)} in ${field}. Look for it with search_records.`)
  const hint = second === undefined ? null : 'More than one record has this value; this is the newest.'
  return answer(node, parts, read, asked, hint)
}

/** Related records: how to select them, and how to read them from the node of the record. */
interface Part {
  readonly name: string
  readonly selection: Selection
  /** Undefined without related records. */
  read(node: Json): unknown
  /** The call that lists all of them, where they are more than are shown. */
  readAll?(node: Json): string | null
}

/** `selection`: of the whole record. */
function partsOf({ subject: { collection }, args: { cite = false }, toolbox }: Asked) {
  const { catalogue } = toolbox
  const references = collection.type.fields.flatMap((field): Part[] => {
    const target = referenceOf(collection, field)?.target ?? null
    const resolved = resolvedName(collection.type.fields, field.name)
    if (target === null || resolved === null) return []
    const subject = catalogue.of(target)
    const { selection, readNode } = briefOf(subject, null, cite, toolbox)
    return [
      {
        name: field.name,
        selection: nested([resolved, onType(subject.collection.typeName)], selection),
        read({ uri, [resolved]: found }) {
          if (Array.isArray(found)) return found.filter((one) => one !== null).map(readNode)
          return isObject(found) && found.uri !== uri ? readNode(found) : undefined
        },
      },
    ]
  })
  const referring = [...reverseNames(collection, toolbox)].slice(0, mostKinds)
  const referredToBy = referring.map(([reference, name]): Part => {
    const holder = catalogue.of(reference.collection)
    // Without the reference to this record, which is the same for all.
    const { selection, readNode } = briefOf(holder, reference.path[0] ?? null, cite, toolbox)
    // As search_records orders them.
    const sortBy = [{ field: new EnumValue(holder.time), direction: new EnumValue('DESC') }]
    const list = printField(reference.viaField, { first: mostReferring, sortBy })
    return {
      name,
      selection: { [list]: { totalCount: {}, nodes: selection } },
      read(node) {
        const { totalCount, nodes } = node[reference.viaField] as { totalCount: number; nodes: Json[] }
        const isAlone = nodes.every(({ uri }) => uri === node.uri)
        return isAlone ? undefined : { total: totalCount, newest: nodes.map(readNode) }
      },
      readAll(node) {
        const { totalCount } = node[reference.viaField] as { totalCount: number }
        const filters = { [reference.path.join('.')]: node['uri'] }
        const call = JSON.stringify({ collection: holder.label, filters })
        return totalCount > mostReferring ? `search_records ${call}` : null
      },
    }
  })
  const parts = [...references, ...referredToBy].map((part) => part.selection)
  const own = { uri: {}, ...(cite && { cid: {}, rev: {} }), indexedAt: {}, recordJson: {} }
  const selection = mergeSelections([own, ...parts])
  return { selection, references, referredToBy }
}

/** The short form of a related record, without the field `without` and without lists of references. */
function briefOf({ brief, collection }: Subject, without: string | null, cite: boolean, toolbox: Toolbox) {
  const isList = (name: string) =>
    collection.type.fields.some(
      (one) => one.name === name && isReference(one.type) && one.type.kind === 'array',
    )
  const paths = brief
    .filter((name) => name !== without && !isList(name))
    .map((name) => parsePath(name, collection, toolbox))
  return {
    selection: selectRow(paths, toolbox, cite),
    readNode: (node: Json) => readRow(node, paths, toolbox, cite),
  }
}

function answer(
  node: Json,
  parts: ReturnType<typeof partsOf>,
  read: IndexRead,
  { subject, args, toolbox }: Asked,
  hint: string | null,
): Json {
  const { $type: _, ...record } = node.recordJson as Json
  const readAll = (related: readonly Part[]): Json | null => {
    const found = present(Object.fromEntries(related.map(({ name, read }) => [name, read(node)])))
    return Object.keys(found).length === 0 ? null : found
  }
  const { asOf, query } = citationOf(read, args, toolbox)
  const whole = {
    uri: node.uri,
    ...present({ cid: node['cid'], rev: node['rev'] }),
    collection: subject.label,
    indexedAt: node.indexedAt,
    asOf,
    record: withoutNulls(record),
    ...present({ references: readAll(parts.references), referredToBy: readAll(parts.referredToBy) }),
  }
  const calls = parts.referredToBy.flatMap((part) => part.readAll?.(node) ?? [])
  const all = calls.length === 0 ? null : `All that refer: ${calls.slice(0, mostCalls).join('; ')}.`
  const note =
    'Cut to fit: long texts end in …, and lists may lack their ends; run_graphql has single fields.'
  const room = toolbox.budget - tokensOfJson([query, hint, all, note]) - 20
  const { value, cut, shortened } = fitValue(whole, room)
  const isCut = shortened || cut.length > 0
  return { ...(value as Json), ...present({ hint: sentences(hint, all, isCut ? note : null), query }) }
}
