/** The tool `search_records`: a page of a collection, as short rows. */
import { sortFields } from '../../schema/model/operators.ts'
import { nearest } from '../../util/text/nearest.ts'
import { budgets, fitRows, tokensOfJson } from '../words/budget.ts'
import type { Subject } from '../words/collections.ts'
import { readPath, selectPaths, withoutNulls } from '../filters/fields.ts'
import { findExamples } from '../words/examples.ts'
import { buildWhere } from '../filters/filters.ts'
import { EnumValue, mergeSelections, printField, printSelection } from '../graphql/graphql-text.ts'
import { whyNothing } from '../words/nothing-found.ts'
import { parsePath, type Path } from '../filters/paths.ts'
import { plainText, plainValue } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, type Json, schemaOf, type Tool, ToolError } from './tool.ts'

interface Page {
  readonly totalCount?: number
  readonly edges: readonly { readonly cursor: string; readonly node: Json }[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

const defaultLimit = 10
const mostSortFields = 5

export function createSearchRecords(toolbox: Toolbox): Tool {
  const labels = toolbox.catalogue.subjects.map(({ label }) => label).join(', ')
  const listed = labels.length > 300 ? 'see describe' : labels
  const { forward, reverse } = findExamples(toolbox)
  const shown = [forward, reverse].filter((example) => example !== null).join(', ')
  return {
    name: 'search_records',
    title: 'Search records',
    description: `Lists records. Collections: ${listed}. Fields are dotted paths along references, in either direction${shown === '' ? '' : `: ${shown}`}.`,
    inputSchema: argumentsOf(
      {
        collection: { type: 'string' },
        text: { type: 'string', description: 'Contained in a title or other text.' },
        filters: {
          type: 'object',
          description:
            'Path: value, [any of], null (missing) or {eq|ne|in|notIn|contains|startsWith|gt|gte|lt|lte|has|hasAny|hasAll: value}. A reference takes a URI or name; what refers to a record takes "none" or "some".',
        },
        since: { type: 'string', description: '"2026-11-16", "today", "last 7 days" …; UTC.' },
        until: { type: 'string' },
        sort: { type: 'string', description: 'Own field, "-" for descending. Default newest first.' },
        fields: { type: 'array', items: { type: 'string' }, description: 'Paths to show.' },
        detail: { enum: ['brief', 'full'] },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        after: { type: 'string', description: 'From the last answer.' },
      },
      ['collection'],
    ),
    outputSchema: schemaOf(
      {
        total: { type: 'integer' },
        returned: { type: 'integer' },
        cut: { type: 'integer' },
        records: { type: 'array', items: { type: 'object' } },
        after: { type: 'string' },
        hint: { type: 'string' },
        query: { type: 'string' },
      },
      ['returned', 'records', 'query'],
    ),
    run: (args, signal) => search(args, toolbox, signal),
  }
}

async function search(args: Json, toolbox: Toolbox, signal: AbortSignal): Promise<Json> {
  const subject = toolbox.catalogue.named(String(args.collection))
  const { collection } = subject
  const isFull = args.detail === 'full' && args.fields === undefined
  const names = (args.fields as readonly string[] | undefined) ?? subject.brief
  const paths = isFull ? [] : names.map((name) => parsePath(name, collection, toolbox))
  const where = await buildWhere(subject, args, toolbox.filtering(signal))
  const list = printField(collection.rootField, {
    first: typeof args.limit === 'number' ? args.limit : defaultLimit,
    after: typeof args.after === 'string' ? args.after : undefined,
    where: where ?? undefined,
    sortBy: parseSort(args.sort, subject),
  })
  const node = mergeSelections([{ uri: {} }, isFull ? { recordJson: {} } : {}, selectPaths(paths, toolbox)])
  const selection = {
    // Only the first page is counted, because the count costs as much as a page.
    ...(args.after === undefined ? { totalCount: {} } : {}),
    edges: { cursor: {}, node },
    pageInfo: { hasNextPage: {} },
  }
  const query = `{ ${list} ${printSelection(selection)} }`
  const data = await toolbox.ask(query, signal)
  const page = data[collection.rootField] as Page
  const rows = page.edges.map((edge) =>
    plainValue(isFull ? wholeRow(edge.node) : rowOf(edge.node, paths, toolbox)),
  )
  return answer(
    rows,
    page,
    query,
    page.totalCount === 0 ? await whyNothing(args, subject, toolbox, signal) : null,
  )
}

/** The rows that fit, with the cursor of the next page. */
function answer(rows: readonly unknown[], page: Page, query: string, hint: string | null): Json {
  const around = {
    total: page.totalCount,
    returned: 50,
    cut: 50,
    records: [],
    after: longestCursor(page),
    query,
  }
  const note = 'Long texts are cut (…): get_record has more.'
  const room = budgets.search_records - tokensOfJson(around) - tokensOfJson(note) - 10
  const { rows: kept, shortened } = fitRows(rows, room)
  const cut = rows.length - kept.length
  const after = cut > 0 || page.pageInfo.hasNextPage ? page.edges[kept.length - 1]?.cursor : undefined
  const said =
    hint ??
    (shortened ? note : cut > 0 ? 'Rows were cut to fit: go on with after, or ask for fewer fields.' : null)
  return {
    ...(page.totalCount === undefined ? {} : { total: page.totalCount }),
    returned: kept.length,
    ...(cut > 0 ? { cut } : {}),
    records: kept,
    ...(after === undefined ? {} : { after: plainText(after) }),
    ...(said === null ? {} : { hint: said }),
    query,
  }
}

function longestCursor({ edges }: Page): string {
  return edges.reduce((longest, { cursor }) => (cursor.length > longest.length ? cursor : longest), '')
}

/** The values of a record by path; missing values are omitted. */
export function rowOf(node: Json, paths: readonly Path[], toolbox: Toolbox): Json {
  const values = paths.flatMap((path): [string, unknown][] => {
    const value = readPath(path, node, toolbox)
    return value === undefined || path.text === 'uri' ? [] : [[path.text, value]]
  })
  return { uri: node.uri, ...Object.fromEntries(values) }
}

/** A property `uri` must not replace the record's own URI, so that only get_record shows it. */
function wholeRow({ uri, recordJson }: Json): Json {
  const { $type: _, uri: __, ...record } = recordJson as Json
  return { uri, ...(withoutNulls(record) as Json) }
}

function parseSort(sort: unknown, subject: Subject) {
  const names = typeof sort === 'string' ? sort.split(',').map((name) => name.trim()) : [`-${subject.time}`]
  const sortable = sortFields(subject.collection)
  if (names.length > mostSortFields) throw new ToolError(`Sort by at most ${mostSortFields} fields.`)
  return names.map((written) => {
    const name = written.replace(/^[-+]/, '')
    const found = sortable.find((field) => field.name === name)
    if (found === undefined) throw notSortable(name, subject)
    return {
      field: new EnumValue(found.name),
      direction: new EnumValue(written.startsWith('-') ? 'DESC' : 'ASC'),
    }
  })
}

function notSortable(name: string, { collection, label }: Subject): ToolError {
  const names = sortFields(collection).map((field) => field.name)
  const near = nearest(name, names)
  if (name.includes('.'))
    return new ToolError(
      `${label} is sorted by its own fields, not by "${name.slice(0, 80)}". Search the collection that has the field, and show the other's fields by path.`,
    )
  return new ToolError(
    `${label} cannot be sorted by "${name.slice(0, 80)}".${near === null ? '' : ` Did you mean "${near}"?`} It is sorted by ${names.slice(0, 30).join(', ')}.`,
  )
}
