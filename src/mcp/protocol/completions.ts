/** Completions of what people type into URIs of resources: names of the index. */
import { ask } from '../graphql/ask.ts'
import { EnumValue, printField } from '../graphql/graphql-text.ts'
import { plainText } from '../words/plain-text.ts'
import { createCatalogue, type Subject } from '../words/collections.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'
import type { Json, ToolsGiven } from '../tools/tool.ts'
import { serviceFailure } from './service-failure.ts'

/** Returns what may stand for the typed text; the protocol layer sends at most 100. */
export type Complete = (typed: string) => Promise<readonly string[]> | readonly string[]

export interface Completions {
  /** URIs of records by a beginning of their name; of a URI that names no record yet, the collections. */
  readonly records: Complete
}

/** Names of one collection in one answer. */
const mostNames = 20
/** Collections whose names are read at once: more could cost more points than one operation may. */
const mostCollections = 4
/** Milliseconds; a person is waiting. */
const timeout = 5_000

export function createCompletions(given: ToolsGiven): Completions {
  const catalogue = createCatalogue(given.model, given.roles)
  const named = catalogue.subjects.filter(({ display }) => display !== null)
  return {
    async records(typed) {
      const [, did, rest] = /^at:\/\/([^/]+)\/([^/]*)$/.exec(typed) ?? []
      if (did !== undefined && rest !== undefined)
        return catalogue.subjects
          .filter(({ collection }) => collection.nsid.startsWith(rest))
          .map(({ collection }) => `at://${did}/${collection.nsid}/`)
      if (typed.trim() === '' || typed.startsWith('at:')) return []
      const found = await readNames(named.slice(0, mostCollections), typed.trim(), given)
      return unique(found.map(({ uri }) => uri))
    },
  }
}

interface Named {
  readonly uri: string
  readonly name: string
}

/** The records whose names begin so, in the order of names. */
async function readNames(
  subjects: readonly Subject[],
  beginning: string,
  given: ToolsGiven,
): Promise<readonly Named[]> {
  const lists = subjects.map(({ collection, display }, at) => {
    const field = display?.name ?? 'uri'
    const list = printField(collection.rootField, {
      first: mostNames,
      ...(beginning !== '' && { where: { [field]: { startsWith: beginning } } }),
      sortBy: [{ field: new EnumValue(field), direction: new EnumValue('ASC') }],
    })
    return { alias: `c${at}`, field, text: `c${at}: ${list} { nodes { uri ${field} } }` }
  })
  const data = await read(`{ ${lists.map(({ text }) => text).join(' ')} }`, given)
  return lists.flatMap(({ alias, field }) =>
    (data[alias] as { nodes: readonly Json[] }).nodes.flatMap((node) => {
      const name = node[field]
      return typeof name === 'string' && name !== ''
        ? [{ uri: String(node['uri']), name: plainText(name) }]
        : []
    }),
  )
}

async function read(query: string, given: ToolsGiven): Promise<Json> {
  try {
    return await ask(given, query, AbortSignal.timeout(timeout))
  } catch (error) {
    if (error instanceof EndpointError) throw serviceFailure(error)
    throw error
  }
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}
