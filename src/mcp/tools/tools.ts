/** Creates all tools of the agents' server, in the order of their listing. */
import { mergeSelections, printSelection, type Selection } from '../../ask/graphql-text.ts'
import { type Endpoint, EndpointError } from '../../endpoint/endpoint.ts'
import { createReferenceTimes } from '../words/reference-time.ts'
import { ask, indexTime, indexTimeSelection } from '../graphql/ask.ts'
import { findLabels } from '../names/labels.ts'
import { createNameResolver } from '../names/resolve-names.ts'
import { createCatalogue } from '../../ask/collections.ts'
import { createAggregate } from './aggregate/aggregate.ts'
import { createDescribe } from './describe/describe.ts'
import { fetchTool } from './documents/fetch.ts'
import { searchTool } from './documents/search.ts'
import { getRecordTool } from './get-record.ts'
import { runGraphqlTool } from './run-graphql.ts'
import { createSearchRecords } from './search-records.ts'
import { recorded, withAffordable } from './affordable.ts'
import type { Json } from '../../util/is-object.ts'
import type { Tool, ToolsGiven } from './tool.ts'
import type { IndexRead, Toolbox } from './toolbox.ts'
import { budgetOf, keepWithin } from '../words/budget.ts'
import { tokensOfJson } from '../words/tokens.ts'

export function createTools(given: ToolsGiven): readonly Tool[] {
  const { model, roles, schema, now } = given
  const catalogue = createCatalogue(model, roles)
  const context = { catalogue, schema }
  const toolboxOf = (
    endpoint: Endpoint,
    budget: number,
    signal: AbortSignal,
    notes: Set<string>,
  ): Toolbox => {
    const askFor = (selection: Selection) => ask({ ...given, endpoint }, selection, signal)
    const labels = new Map<string, string>()
    const read = async (wanted: Selection, optional: Selection = {}): Promise<IndexRead> => {
      const timed = mergeSelections([{ ...wanted, ...optional }, indexTimeSelection])
      try {
        const data = await askFor(timed)
        for (const [uri, label] of await findLabels(data, catalogue.subjects, askFor)) labels.set(uri, label)
        return { data, asOf: indexTime(data), query: printSelection(timed) }
      } catch (error) {
        const isTooMuch = error instanceof EndpointError && error.code === 'QUERY_TOO_COMPLEX'
        const left = Object.entries(optional)
        if (!isTooMuch || left.length === 0) throw error
        return read(wanted, Object.fromEntries(left.slice(0, -1)))
      }
    }
    return {
      ...context,
      labels,
      now,
      // Notes are added to the answer of the tool.
      get budget() {
        return budget - (notes.size === 0 ? 0 : tokensOfJson([...notes].join(' ')))
      },
      ask: askFor,
      read,
      send: (question) => endpoint.ask(question, signal),
      ...createReferenceTimes(catalogue, now, askFor),
      names: createNameResolver(catalogue, askFor, (sentence) => notes.add(sentence)),
    }
  }
  return [
    createDescribe(),
    createSearchRecords(context),
    getRecordTool,
    createAggregate(context),
    runGraphqlTool,
    ...(given.chatgpt === true ? [searchTool, fetchTool] : []),
  ].map((tool) => ({
    ...tool,
    async run(args, signal) {
      const notes = new Set<string>()
      const endpoint = recorded(given.endpoint)
      const run = (over: Endpoint, some: Json) =>
        tool.run(some, toolboxOf(over, budgetOf(tool.name, args), signal, notes))
      const answer = await run(endpoint, args).catch(async (error: unknown) => {
        const { priced } = endpoint
        const isOfParts = tool.name === 'aggregate' || tool.name === 'search_records'
        throw priced && isOfParts
          ? await withAffordable(error, args, (some, most) => run(priced(most), some))
          : error
      })
      const hint = [...notes, answer.hint ?? ''].join(' ').trim()
      return keepWithin(notes.size === 0 ? answer : { ...answer, hint }, budgetOf(tool.name, args))
    },
  }))
}
