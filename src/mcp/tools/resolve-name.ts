/** The tool `resolve_name`: finds the records that have a name, with other spellings. */
import { fitRows } from '../words/budget.ts'
import { tokensOfJson } from '../words/tokens.ts'
import { collectionsFor, findNames, isTitled, type NamedRecord } from '../names/find-names.ts'
import { sharedPrefix, withoutPrefix } from '../words/prefix.ts'
import { withoutSpaces } from '../names/resolve-names.ts'
import { argumentsOf, present, sentences, type Toolbox, type ToolDefinition } from './toolbox.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'

interface ResolveArguments extends Json {
  readonly name: string
  readonly collection?: string
  readonly limit?: number
  readonly after?: string
}

export function createResolveName(): ToolDefinition {
  return {
    name: 'resolve_name',
    title: 'Find a record by name',
    description:
      'Finds records by name, domain, handle, record key or URL, in any spelling; those with the most records first.',
    inputSchema: argumentsOf(
      {
        name: 'string',
        collection: 'string',
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        after: 'string',
      },
      ['name'],
    ),
    run: resolveName,
  }
}

async function resolveName(args: ResolveArguments, toolbox: Toolbox): Promise<Json> {
  const { catalogue, budget } = toolbox
  const { collection, limit = 10 } = args
  const name = args.name.trim()
  if (name === '') throw new AskError('Write the name to look for.')
  const start = readAfter(args.after)
  const subjects = collection === undefined ? collectionsFor(name, catalogue) : [catalogue.named(collection)]
  let asOf: string | null = null
  const { found, isCapped, unspaced } = await findNames(name, subjects, async (selection) => {
    const read = await toolbox.read(selection)
    // The first of several states, so that the answer claims nothing that a later one may lack.
    asOf ??= read.asOf
    return read.data
  })
  const total = found.length
  const titled = subjects.filter((subject) => isTitled(subject, subjects)).map(({ label }) => label)
  const spaces = withoutSpaces(name, unspaced)
  if (total === 0) return present({ matches: [], total, asOf, hint: sentences(nothingAlike(titled), spaces) })
  const best = found.slice(start, start + limit)
  const prefix = sharedPrefix(best.map(({ uri }) => uri))
  const rows = best.map((record) => rowOf(record, prefix))
  const hint = sentences(isCapped ? tooMany : null, spaces)
  const whole = (some: readonly Json[], all: number | null, after: string | null): Json =>
    present({ asOf, prefix, matches: some, total: all, after, hint })
  const { rows: matches } = fitRows(rows, budget - tokensOfJson(whole([], total, String(total))))
  const end = start + matches.length
  return whole(matches, isCapped ? null : total, end < total ? String(end) : null)
}

/** The position after which the matches continue. */
function readAfter(after: string | undefined): number {
  if (after === undefined) return 0
  if (/^\d{1,5}$/.test(after)) return Number(after)
  throw new AskError(`after is not a cursor of resolve_name: repeat the arguments of the call that gave it.`)
}

function rowOf({ subject, name, uri, apart, records, match }: NamedRecord, prefix: string | null): Json {
  const { label, apart: field } = subject
  return present({
    name,
    collection: label,
    ...withoutPrefix({ uri }, prefix),
    ...(field !== null && { [field.name]: apart }),
    records,
    match: match.kind,
  })
}

/** `titled`: collections whose titles were not searched. */
function nothingAlike(titled: readonly string[]): string {
  const others = titled.length === 0 ? '' : ` Titles are searched with collection: ${titled.join(', ')}.`
  return `No name is like it. Names are as their owners write them, in their own script and language: try that spelling or a part of it.${others}`
}

const tooMany =
  'Too many records have a part of this name to compare them all: write more of it, or search a collection for it.'
