/** The tool `resolve_name`: finds the URIs of records by name, with other spellings. */
import { budgets, fitRows, tokensOfJson } from '../words/budget.ts'
import type { Catalogue, Subject } from '../words/collections.ts'
import { type NamedRecord, searchNames } from '../filters/names.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, schemaOf, type Tool, ToolError } from './tool.ts'

/** Collections that are searched at once. */
const atOnce = 6

export function createResolveName(toolbox: Toolbox): Tool {
  return {
    name: 'resolve_name',
    title: 'Find a record by name',
    description: 'Finds the record behind a name and its URI; tolerates other spellings.',
    inputSchema: argumentsOf(
      {
        name: { type: 'string' },
        collection: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 10 },
      },
      ['name'],
    ),
    outputSchema: schemaOf(
      {
        matches: { type: 'array', items: { type: 'object' } },
        total: { type: 'integer' },
        hint: { type: 'string' },
        query: { type: 'string' },
      },
      ['matches'],
    ),
    async run({ name, collection, limit }, signal) {
      const wanted = String(name).trim()
      if (wanted === '') throw new ToolError('Write the name to look for.')
      const subjects =
        typeof collection === 'string' ? [toolbox.catalogue.named(collection)] : namedOnes(toolbox.catalogue)
      if (subjects.every(({ display }) => display === null))
        throw new ToolError('The records of this collection have no name; use search_records.')
      const found: NamedRecord[] = []
      let query = ''
      let isCapped = false
      for (let at = 0; at < subjects.length; at += atOnce) {
        const part = await searchNames(wanted, subjects.slice(at, at + atOnce), (text) =>
          toolbox.ask(text, signal),
        )
        found.push(...part.found)
        query ||= part.query
        isCapped ||= part.isCapped
      }
      return answer(found, query, isCapped, typeof limit === 'number' ? limit : 5)
    },
  }
}

/** The collections that references lead to; if there are none, all collections with names. */
function namedOnes({ subjects, model }: Catalogue): readonly Subject[] {
  const targets = model.collections.flatMap(({ references }) =>
    references.flatMap(({ target }) => target ?? []),
  )
  const led = subjects.filter(
    ({ collection, display }) => display !== null && targets.includes(collection.nsid),
  )
  return led.length > 0 ? led : subjects.filter(({ display }) => display !== null)
}

const nothingAlike =
  'No name is like it. Names are as their owners write them, in their own script and language: try that spelling or a part of it.'

function answer(found: readonly NamedRecord[], query: string, isCapped: boolean, limit: number) {
  const sorted = found.some(({ match }) => match !== 'similar')
    ? found.filter(({ match }) => match !== 'similar')
    : found.toSorted((a, b) => b.score - a.score)
  const rows = sorted.slice(0, limit).map(({ collection, uri, name, match, score }) => ({
    name,
    collection,
    uri,
    match,
    ...(match === 'exact' ? {} : { score: Math.round(score * 100) / 100 }),
  }))
  if (sorted.length === 0 && !isCapped) return { matches: [], total: 0, hint: nothingAlike }
  const told = isCapped
    ? { hint: 'Too many records have a part of this name to compare them all: write more of it.' }
    : { total: sorted.length }
  // With many collections, the query alone would take the whole budget.
  const isShort = tokensOfJson(query) <= budgets.resolve_name / 2
  const around = { matches: [], ...told, ...(isShort ? { query } : {}) }
  return { ...around, matches: fitRows(rows, budgets.resolve_name - tokensOfJson(around)).rows }
}
