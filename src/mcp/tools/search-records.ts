/** The tool `search_records`: a page of a collection, as short rows. */
import { sortFields } from '../../schema/model/operators.ts'
import { nearest } from '../../util/text/nearest.ts'
import { budgets, fitRows, tokensOfJson } from '../words/budget.ts'
import type { Subject } from '../words/collections.ts'
import { readRow, selectRow, withoutNulls } from '../filters/fields.ts'
import { findExamples } from '../words/examples.ts'
import { buildWhere, type Narrowing } from '../filters/filters.ts'
import { EnumValue, printField, printSelection } from '../graphql/graphql-text.ts'
import { whyNothing } from '../words/nothing-found.ts'
import { parsePath, type SchemaContext } from '../filters/paths.ts'
import { plainText, plainValue } from '../words/plain-text.ts'
import { answerOf, argumentsOf, present, type Toolbox, type ToolDefinition } from './toolbox.ts'
import { didYouMean, type Json, ToolError } from './tool.ts'

interface Page {
  readonly totalCount?: number
  readonly edges: readonly { readonly cursor: string; readonly node: Json }[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

interface SearchArguments extends Narrowing {
  readonly collection: string
  readonly sort?: string
  readonly fields?: readonly string[]
  readonly detail?: 'brief' | 'full'
  readonly limit?: number
  readonly after?: string
}

const mostSortFields = 5

export function createSearchRecords(context: SchemaContext): ToolDefinition {
  const labels = context.catalogue.subjects.map(({ label }) => label).join(', ')
  const listed = labels.length > 300 ? 'see describe' : labels
  const { forward, reverse } = findExamples(context)
  const shown = [forward, reverse].filter((example) => example !== null).join(', ')
  return {
    name: 'search_records',
    title: 'Search records',
    description: `Lists records. Collections: ${listed}. Fields are dotted paths along references, in either direction${shown === '' ? '' : `: ${shown}`}.`,
    inputSchema: argumentsOf(
      {
        collection: 'string',
        text: { type: 'string', description: 'Contained in a title or other text.' },
        filters: {
          type: 'object',
          description:
            'Path: value, [any of], null (missing) or {eq|ne|in|notIn|contains|startsWith|gt|gte|lt|lte|has|hasAny|hasAll: value}. A reference takes a URI or name; what refers to a record takes "none" or "some".',
        },
        since: { type: 'string', description: '"2026-11-16", "today", "last 7 days" …; UTC.' },
        until: 'string',
        sort: { type: 'string', description: 'Own field, "-" for descending. Default newest first.' },
        fields: { type: 'array', items: { type: 'string' }, description: 'Paths to show.' },
        detail: { enum: ['brief', 'full'] },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        after: { type: 'string', description: 'From the last answer.' },
      },
      ['collection'],
    ),
    outputSchema: answerOf(
      { total: 'integer', returned: 'integer', cut: 'integer', records: 'objects', after: 'string' },
      ['returned', 'records', 'query'],
    ),
    run: search,
  }
}

async function search(args: SearchArguments, toolbox: Toolbox): Promise<Json> {
  const { sort, fields, detail, limit = 10, after } = args
  const subject = toolbox.catalogue.named(args.collection)
  const { collection } = subject
  const isFull = detail === 'full' && fields === undefined
  const names = isFull ? [] : (fields ?? subject.brief)
  const paths = names.map((name) => parsePath(name, collection, toolbox))
  const where = await buildWhere(subject, args, toolbox)
  const list = printField(collection.rootField, {
    first: limit,
    after,
    where,
    sortBy: parseSort(sort, subject),
  })
  const query = printSelection({
    [list]: {
      // Only the first page is counted, because the count costs as much as a page.
      ...(after === undefined && { totalCount: {} }),
      edges: { cursor: {}, node: { ...selectRow(paths, toolbox), ...(isFull && { recordJson: {} }) } },
      pageInfo: { hasNextPage: {} },
    },
  })
  const page = (await toolbox.ask(query))[collection.rootField] as Page
  const rows = page.edges.map(({ node }) =>
    plainValue(isFull ? wholeRow(node) : readRow(node, paths, toolbox)),
  )
  return answer(rows, page, query, page.totalCount === 0 ? await whyNothing(args, subject, toolbox) : null)
}

/** The rows that fit, with the cursor of the next page. */
function answer(rows: readonly unknown[], page: Page, query: string, hint: string | null): Json {
  const { totalCount: total, edges, pageInfo } = page
  const [longest] = edges.map(({ cursor }) => cursor).toSorted((one, other) => other.length - one.length)
  const note = 'Long texts are cut (…): get_record has more.'
  const around = { total, returned: 50, cut: 50, records: [], after: longest, query }
  const room = budgets.search_records - tokensOfJson(around) - tokensOfJson(note) - 10
  const { rows: records, shortened } = fitRows(rows, room)
  const returned = records.length
  const isCut = returned < rows.length
  const after = isCut || pageInfo.hasNextPage ? edges[returned - 1]?.cursor : undefined
  const cutHint = isCut ? 'Rows were cut to fit: go on with after, or ask for fewer fields.' : null
  return present({
    total,
    returned,
    cut: isCut ? rows.length - returned : null,
    records,
    after: after && plainText(after),
    hint: hint ?? (shortened ? note : cutHint),
    query,
  })
}

/** A property `uri` must not replace the record's own URI, so that only get_record shows it. */
function wholeRow({ uri, recordJson }: Json): Json {
  const { $type: _, uri: __, ...record } = recordJson as Json
  return { uri, ...(withoutNulls(record) as Json) }
}

function parseSort(sort: string | undefined, { collection, label, time }: Subject) {
  const sortable = sortFields(collection).map(({ name }) => name)
  const written = sort?.split(',').map((name) => name.trim()) ?? [`-${time}`]
  if (written.length > mostSortFields) throw new ToolError(`Sort by at most ${mostSortFields} fields.`)
  return written.map((one) => {
    const name = one.replace(/^[-+]/, '')
    if (sortable.includes(name))
      return {
        field: new EnumValue(name),
        direction: new EnumValue(one.startsWith('-') ? 'DESC' : 'ASC'),
      }
    const given = `"${name.slice(0, 80)}"`
    if (name.includes('.'))
      throw new ToolError(
        `${label} is sorted by its own fields, not by ${given}. Search the collection that has the field, and show the other's fields by path.`,
      )
    throw new ToolError(
      `${label} cannot be sorted by ${given}.${didYouMean(nearest(name, sortable))} It is sorted by ${sortable.slice(0, 30).join(', ')}.`,
    )
  })
}
