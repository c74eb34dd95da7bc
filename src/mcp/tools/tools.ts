/** Creates all tools of the agents' server, in the order of their listing. */
import { findByName } from '../filters/names.ts'
import { ask } from '../graphql/ask.ts'
import { indexTime, withIndexTime } from '../graphql/index-time.ts'
import { createCatalogue } from '../words/collections.ts'
import { createAggregate } from './aggregate/aggregate.ts'
import { createDescribe } from './describe.ts'
import { createGetRecord } from './get-record.ts'
import { createResolveName } from './resolve-name.ts'
import { createRunGraphql } from './run-graphql.ts'
import { createSearchRecords } from './search-records.ts'
import type { Tool, ToolsGiven } from './tool.ts'
import type { Toolbox } from './toolbox.ts'
import { createValidateGraphql } from './validate-graphql.ts'
import { budgetOf } from '../words/budget.ts'

export function createTools(given: ToolsGiven): readonly Tool[] {
  const { model, roles, schema, endpoint, now } = given
  const catalogue = createCatalogue(model, roles)
  const context = { catalogue, schema }
  const toolboxOf = (budget: number, signal: AbortSignal): Toolbox => {
    const askFor = (query: string) => ask(given, query, signal)
    return {
      ...context,
      now,
      budget,
      ask: askFor,
      async read(query) {
        const timed = withIndexTime(query)
        const data = await askFor(timed)
        return { data, asOf: indexTime(data), query: timed }
      },
      send: (question) => endpoint.ask(question, signal),
      findByName: (name, { nsid }) => findByName(name, catalogue.of(nsid), askFor),
    }
  }
  return [
    createDescribe(),
    createSearchRecords(context),
    createGetRecord(),
    createAggregate(context),
    createResolveName(),
    createValidateGraphql(),
    createRunGraphql(),
  ].map((tool) => ({
    ...tool,
    run: (args, signal) => tool.run(args, toolboxOf(budgetOf(tool.name, args), signal)),
  }))
}
