/** Completions of what people type into arguments of prompts and URIs of resources: names and days of the index. */
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
  /** Names of the records of a collection; after a comma, another name. Null if its records have no names. */
  namesOf(nsid: string): Complete | undefined
  /** Days of the newest record of a collection and before; with `phrases`, ranges of time in words too. */
  daysOf(nsid: string, phrases?: readonly string[]): Complete
  /** URIs of records by a beginning of their name; of a URI that names no record yet, the collections. */
  readonly records: Complete
}

/** Names of one collection, and days, in one answer. */
const mostNames = 20
const mostDays = 31
/** Collections whose names are read at once: more could cost more points than one operation may. */
const mostCollections = 4
/** Milliseconds; a person is waiting. */
const timeout = 5_000

export function createCompletions(given: ToolsGiven): Completions {
  const catalogue = createCatalogue(given.model, given.roles)
  const named = catalogue.subjects.filter(({ display }) => display !== null)
  return {
    namesOf(nsid) {
      const subject = catalogue.of(nsid)
      if (subject.display === null) return undefined
      return async (typed) => {
        const [, before = '', last = ''] = /^(.*,\s*)?([^,]*)$/s.exec(typed) ?? []
        const found = await readNames([subject], last.trim(), given)
        return unique(found.map(({ name }) => `${before}${name}`))
      }
    },
    daysOf(nsid, phrases = []) {
      return async (typed) => {
        const wanted = typed.trim().toLowerCase()
        const worded = phrases.filter((phrase) => phrase.startsWith(wanted))
        if (wanted !== '' && !/^\d/.test(wanted)) return worded
        const days = await readDays(catalogue.of(nsid), given)
        return [...worded, ...days.filter((day) => day.startsWith(wanted))]
      }
    },
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

/** The day of the newest record that is not of the future, and the days before it: ISO 8601, UTC. */
async function readDays({ collection, time }: Subject, given: ToolsGiven): Promise<readonly string[]> {
  const now = given.now()
  const root = `${collection.rootField}Aggregate`
  const list = printField(root, { where: { [time]: { lte: now.toISOString() } } })
  const { max } = (await read(`{ ${list} { max { ${time} } } }`, given))[root] as { max: Json }
  const newest = Date.parse(String(max[time]))
  if (Number.isNaN(newest)) return []
  return Array.from({ length: mostDays }, (_, back) =>
    new Date(newest - back * 86_400_000).toISOString().slice(0, 10),
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
