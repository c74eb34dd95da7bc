/** The shared context of all tools: the catalogue, queries to the endpoint, and filters that resolve names. */
import type { Collection } from '../../schema/model/model.ts'
import { ask } from '../graphql/ask.ts'
import { type Catalogue, createCatalogue } from '../words/collections.ts'
import type { FilterContext } from '../filters/filters.ts'
import { searchNames } from '../filters/names.ts'
import type { SchemaContext } from '../filters/paths.ts'
import { type Json, ToolError, type ToolsGiven } from './tool.ts'

export interface Toolbox extends SchemaContext {
  readonly given: ToolsGiven
  readonly catalogue: Catalogue
  ask(query: string, signal: AbortSignal): Promise<Json>
  /** The context for the filters of one call. */
  filtering(signal: AbortSignal): FilterContext
}

export function createToolbox(given: ToolsGiven): Toolbox {
  const { model, schema, now } = given
  const catalogue = createCatalogue(model)
  const findByName = async (name: string, collection: Collection, signal: AbortSignal): Promise<string> => {
    const subject = catalogue.of(collection.nsid)
    const { found } = await searchNames(name, [subject], (query) => ask(given, query, signal))
    const exact = found.filter(({ match }) => match === 'exact')
    const sure = exact.length > 0 ? exact : found.filter(({ match }) => match !== 'similar')
    const [only, ...others] = sure
    if (only !== undefined && others.length === 0) return only.uri
    const shown = (sure.length > 0 ? sure : found)
      .slice(0, 4)
      .map((one) => (exact.length > 1 ? one.uri : `"${one.name}"`))
      .join(', ')
    const wanted = `${subject.label} "${name.slice(0, 80)}"`
    if (sure.length > 1) throw new ToolError(`There is more than one ${wanted}: ${shown}. Write one of them.`)
    throw new ToolError(
      `There is no ${wanted}.${shown === '' ? ' Find it with resolve_name.' : ` The nearest: ${shown}.`}`,
    )
  }
  return {
    given,
    catalogue,
    schema,
    ask: (query, signal) => ask(given, query, signal),
    filtering: (signal) => ({
      catalogue,
      schema,
      now,
      findByName: (name, collection) => findByName(name, collection, signal),
    }),
  }
}
