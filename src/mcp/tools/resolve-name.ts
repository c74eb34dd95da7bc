/** The tool `resolve_name`: finds the URIs of records by name, with other spellings. */
import { fitRows } from '../words/budget.ts'
import { tokensOfJson } from '../words/tokens.ts'
import type { Catalogue, Subject } from '../words/collections.ts'
import { sharedPrefix, withoutPrefix } from '../words/prefix.ts'
import { type NamedRecord, searchNames } from '../filters/names.ts'
import { argumentsOf, present, type Toolbox, type ToolDefinition } from './toolbox.ts'
import { type Json, ToolError } from './tool.ts'

interface ResolveArguments extends Json {
  readonly name: string
  readonly collection?: string
  readonly limit?: number
}

/** Collections that are searched at once. */
const atOnce = 6

export function createResolveName(): ToolDefinition {
  return {
    name: 'resolve_name',
    title: 'Find a record by name',
    description: 'Finds the record behind a name and its URI; tolerates other spellings.',
    inputSchema: argumentsOf(
      { name: 'string', collection: 'string', limit: { type: 'integer', minimum: 1, maximum: 10 } },
      ['name'],
    ),
    run: resolveName,
  }
}

async function resolveName(args: ResolveArguments, toolbox: Toolbox): Promise<Json> {
  const { catalogue } = toolbox
  const { collection, limit = 5 } = args
  const name = args.name.trim()
  if (name === '') throw new ToolError('Write the name to look for.')
  const subjects = collection === undefined ? namedOnes(catalogue) : [catalogue.named(collection)]
  if (subjects.every(({ display }) => display === null))
    throw new ToolError('The records of this collection have no name; use search_records.')
  const found: NamedRecord[] = []
  let asOf: string | null = null
  let isCapped = false
  const ask = async (query: string) => {
    const read = await toolbox.read(query)
    // The first of several states, so that the answer claims nothing that a later one may lack.
    asOf ??= read.asOf
    return read.data
  }
  for (let at = 0; at < subjects.length; at += atOnce) {
    const part = await searchNames(name, subjects.slice(at, at + atOnce), ask)
    found.push(...part.found)
    isCapped ||= part.isCapped
  }
  return answer(found, asOf, isCapped, limit, toolbox)
}

/** The collections that references lead to; if there are none, all collections with names. */
function namedOnes({ subjects, model }: Catalogue): readonly Subject[] {
  const targets = new Set(
    model.collections.flatMap(({ references }) => references.map(({ target }) => target)),
  )
  const named = subjects.filter(({ display }) => display !== null)
  const led = named.filter(({ collection }) => targets.has(collection.nsid))
  return led.length > 0 ? led : named
}

const nothingAlike =
  'No name is like it. Names are as their owners write them, in their own script and language: try that spelling or a part of it.'

function answer(
  found: readonly NamedRecord[],
  asOf: string | null,
  isCapped: boolean,
  limit: number,
  { budget }: Toolbox,
): Json {
  const sure = found.filter(({ match }) => match !== 'similar')
  const sorted = sure.length > 0 ? sure : found.toSorted((a, b) => b.score - a.score)
  if (sorted.length === 0 && !isCapped) return present({ matches: [], total: 0, asOf, hint: nothingAlike })
  const best = sorted.slice(0, limit)
  const prefix = sharedPrefix(best.map(({ uri }) => uri))
  const rows = best.map(({ collection, uri, name, match, score }) => ({
    name,
    collection,
    ...withoutPrefix({ uri }, prefix),
    match,
    ...(match !== 'exact' && { score: Math.round(score * 100) / 100 }),
  }))
  const said = isCapped
    ? { hint: 'Too many records have a part of this name to compare them all: write more of it.' }
    : { total: sorted.length }
  const around = present({ asOf, prefix, matches: [], ...said })
  return { ...around, matches: fitRows(rows, budget - tokensOfJson(around)).rows }
}
