/** Creates all tools of the agents' server, in the order of their listing. */
import { setImmediate } from 'node:timers/promises'
import type { Collection } from '../../schema/model/model.ts'
import { findByName } from '../filters/names.ts'
import { createReferenceTimes, findMain } from '../filters/reference-time.ts'
import { ask } from '../graphql/ask.ts'
import { indexTime, withIndexTime } from '../graphql/index-time.ts'
import { createCatalogue } from '../words/collections.ts'
import { createAggregate } from './aggregate/aggregate.ts'
import { createDescribe } from './describe/describe.ts'
import { createGetRecord } from './get-record.ts'
import { createResolveName } from './resolve-name.ts'
import { createRunGraphql } from './run-graphql.ts'
import { createSearchRecords } from './search-records.ts'
import type { Tool, ToolsGiven } from './tool.ts'
import type { Toolbox } from './toolbox.ts'
import { createValidateGraphql } from './validate-graphql.ts'
import { budgetOf } from '../words/budget.ts'

/** Cutting and counting an answer takes milliseconds: so only one answer is made in each turn of the event loop. */
let turn: Promise<void> = Promise.resolve()
function ownTurn(): Promise<void> {
  turn = turn.then(() => setImmediate())
  return turn
}

export function createTools(given: ToolsGiven): readonly Tool[] {
  const { model, roles, schema, endpoint, now } = given
  const catalogue = createCatalogue(model, roles)
  const context = { catalogue, schema }
  const main = findMain(catalogue, roles)
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
        await ownTurn()
        return { data, asOf: indexTime(data), query: timed }
      },
      async send(question) {
        const answer = await endpoint.ask(question, signal)
        await ownTurn()
        return answer
      },
      ...createReferenceTimes({ catalogue, main, now, ask: askFor }),
      findByName: onceEach((name, { nsid }) => findByName(name, catalogue.of(nsid), askFor)),
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

/** Conditions are built again to count what some of them exclude; names in them are looked up once. */
function onceEach<Found>(
  find: (name: string, collection: Collection) => Promise<Found>,
): (name: string, collection: Collection) => Promise<Found> {
  const known = new Map<string, Promise<Found>>()
  return (name, collection) => {
    const key = `${collection.nsid} ${name}`
    const found = known.get(key) ?? find(name, collection)
    known.set(key, found)
    return found
  }
}
