/** Lists as SQL: the rows of a page in order, then the fields selected of them. */
import { anyOf, identifier, literal, raw, type Sql, sql } from '../../../sql/sql.ts'
import { columnList } from '../emit-access-path.ts'
import { emitArray, emitFields, emitObject } from '../emit-output.ts'
import { emitTotal } from './emit-distinct.ts'
import { emitCursor, emitPageInfo, type Ends, numberedEnds } from './emit-page-info.ts'
import { emitRankedCount } from './emit-scores.ts'
import { idAndRankOf, idOf, positionOf } from './emit-order.ts'
import { emitRows } from './emit-rows.ts'
import { type Emitter, hintsOf, type Parent, type Ranked, type RecordRow } from '../emitter.ts'
import { refuseStages, staged } from '../steps.ts'
import { emitStagedPage, hasRowsOfParent } from './emit-staged-page.ts'
import type { OrderedRows, PhysicalList, PhysicalListOutput, PhysicalPage } from '../../plan/physical-plan.ts'
import type { Constant } from '../../plan/fields.ts'
import { type RowsOutput, snippetEnd, snippetSource, snippetStart } from '../../plan/plan.ts'
import { emitFacets } from '../../outputs/facets.ts'
import { emitMissingWords } from '../../outputs/missing-words.ts'

interface PrintedList extends PhysicalList {
  readonly parent: Parent
}

/** The list as JSON text. */
export function emitList(emitter: Emitter, given: PhysicalList, parent: Parent): Sql {
  const list = { ...given, parent }
  const { page } = list
  if (page === null) return printedList(emitter, list, noRows, noRows)
  switch (page.carries) {
    case 'texts':
      return emitPrinted(emitter, list, page)
    case 'rows':
    case 'ids':
      return emitter.dialect.isSpread ? emitStaged(emitter, list, page) : emitFound(emitter, list, page)
    case 'id-list':
      return emitIdList(emitter, list, page)
  }
}

/** Prints rows where they are found. */
function emitPrinted(emitter: Emitter, list: PrintedList, page: PhysicalPage): Sql {
  const only = list.fields.map(({ output }) => output).find(printsRows)
  if (only === undefined) throw new Error('The page prints no rows.')
  const joined = emitter.alias()
  const rows = emitRows(emitter, page.rows, list.parent, {
    value: (row) => sql`${emitElement(emitter, list, only, row)} as text`,
  })
  const texts = emitter.dialect.joined(sql`${joined}.text`, null)
  return sql`(select ${printedList(emitter, list, () => texts, noRows)} from (${rows}) ${joined})`
}

/** Prints rows after the page is known: rows carry the columns to print, or are read again by their ids. */
function emitFound(emitter: Emitter, list: PrintedList, given: PhysicalPage): Sql {
  const { dialect } = emitter
  const { rows: access, carries, isNumbered, ends, columns: read } = given
  const { table, page: wanted } = list.list
  const isWhole = carries === 'rows'
  const rows = emitRows(emitter, access, list.parent, {
    value: (row) => (isWhole ? columnList(row.alias, read) : idAndRankOf(row)),
  })
  const alias = emitter.alias()
  const page = isWhole ? alias : emitter.alias()
  const isRanked = list.ranking !== null
  const ranked: Ranked = { score: sql`${page}.score`, statistics: sql`${page}.statistics` }
  const row: RecordRow = { kind: 'record', alias, table, ...(isRanked && { ranked }) }
  const columns = raw(isWhole ? '*' : isRanked ? 'id, score, statistics' : 'id')
  const numbered = ends
    ? sql`select ${columns}, row_number() over () as n, count(*) over () as c from (${rows}) ${emitter.alias()}`
    : isNumbered
      ? sql`select ${columns}, row_number() over () as n from (${rows}) ${emitter.alias()}`
      : rows
  const inOrder = wanted.backward
    ? sql`select * from (${numbered}) ${emitter.alias()} order by n desc`
    : numbered
  const printed = printedPage(emitter, list, given, row, page)
  // The ids of the page belong to visible rows, so hidden rows need no second check.
  const found = isWhole
    ? sql``
    : sql` ${dialect.join} ${identifier(table.name)} ${alias} on ${alias}.id = ${page}.id`
  return sql`(select ${printed} from (${inOrder}) ${page}${found})`
}

/** In a statement of stages. */
function emitStaged(emitter: Emitter, list: PrintedList, page: PhysicalPage): Sql {
  const { row, rest } = emitStagedPage(emitter, list, page, list.parent)
  const { alias, from = alias } = row
  const printed = printedPage(emitter, list, page, row, alias)
  return sql`(select ${printed} from ${from}${rest()})`
}

/** What is printed of a page whose rows are numbered: `n`, of `c`. */
function printedPage(
  emitter: Emitter,
  list: PrintedList,
  { carries, ends }: PhysicalPage,
  row: RecordRow,
  page: Sql,
): Sql {
  const { dialect } = emitter
  const { backward, size } = list.list.page
  const number = backward ? sql`-${page}.n` : sql`${page}.n`
  const own = ends ? sql`${page}.n <= ${size}` : null
  return printedList(
    emitter,
    list,
    (output) => {
      const text = emitElement(emitter, list, output, row)
      // Whole rows are joined with nothing that could change their order.
      const isInOrder = carries === 'rows' && !dialect.isSpread
      return isInOrder ? dialect.joined(text, own) : dialect.joinedBy(number, text, own)
    },
    () => numberedEnds(page, list.list.page, () => positionOf(emitter, list.list.sort, row)),
  )
}

/** Collects the ids of a page into one value: its positions replace window functions, which would count row by row. */
function emitIdList(emitter: Emitter, list: PrintedList, { rows: access, more }: PhysicalPage): Sql {
  const { dialect } = emitter
  const { parent } = list
  const { ids } = hintsOf(dialect)
  const { table, sort, page: wanted } = list.list
  const { backward, size } = wanted
  const row = emitter.alias()
  const tied = ({ alias }: RecordRow): Sql => sql`max(${alias}.id) as id, count(*) as n`
  const keepsTies = access.order.kind === 'path' && access.order.keepsTies
  const rows = emitRows(emitter, access, parent, keepsTies ? { value: idOf, tied } : { value: idOf })
  const found = ids.of(sql`${row}.id`)
  // Records with equal keys in several accounts are rare, so they are sorted only if there are any.
  const idList = keepsTies
    ? sql`case when max(${row}.n) > 1 then (select ${ids.of(sql`id`)} from (${emitRows(emitter, access, parent, { value: idOf })}) ${emitter.alias()}) else ${found} end`
    : found
  const page = emitter.alias()
  const all = sql`${page}.ids`
  const elements = (output: RowsOutput<PhysicalList>): Sql => {
    const [alias, each] = [emitter.alias(), emitter.alias()]
    const text = emitElement(emitter, list, output, { kind: 'record', alias, table })
    const places = ids.rows(all, each, backward)
    const at = sql`${identifier(table.name)} ${alias} on ${alias}.id = ${each}.value`
    const within = more ? sql` where ${each}.key < ${size}` : sql``
    return sql`(select ${dialect.joined(text, null)} from ${places} ${dialect.join} ${at}${within})`
  }
  const positionAt = (place: Sql): Sql => {
    const alias = emitter.alias()
    const position = positionOf(emitter, sort, { kind: 'record', alias, table })
    return sql`(select ${position} from ${identifier(table.name)} ${alias} where ${alias}.id = ${ids.at(all, place)})`
  }
  const nearest = sql`0`
  const farthest = sql`min(${ids.length(all)}, ${size}) - 1`
  const printed = printedList(emitter, list, elements, () => ({
    more: sql`${ids.length(all)} > ${size}`,
    first: positionAt(backward ? farthest : nearest),
    last: positionAt(backward ? nearest : farthest),
  }))
  return sql`(select ${printed} from (select ${idList} as ids from (${rows}) ${row}) ${page})`
}

function printsRows(output: PhysicalListOutput | Constant): output is RowsOutput<PhysicalList> {
  return output.kind === 'edges' || output.kind === 'nodes'
}

/** An edge or record of a row; `position`: what its cursor consists of. */
export function emitElement(
  emitter: Emitter,
  { list }: PhysicalList,
  output: RowsOutput<PhysicalList>,
  row: RecordRow,
  position?: Sql,
): Sql {
  if (output.kind === 'nodes') return emitFields(emitter, output.fields, row)
  const { dialect } = emitter
  return emitObject(emitter, output.fields, (field) => {
    switch (field.kind) {
      case 'node':
        return emitFields(emitter, field.fields, row)
      case 'cursor':
        return emitCursor(emitter, list, position ?? positionOf(emitter, list.sort, row))
      case 'score':
        return row.ranked === undefined ? raw(`'null'`) : dialect.toJson(row.ranked.score)
      case 'snippet': {
        const whole = dialect.scalarAt(sql`${row.alias}.record`, field.path)
        const text = dialect.toJson(sql`substr(${whole}, 1, ${raw(String(snippetSource))})`)
        const [start, end] = [snippetStart, snippetEnd].map((code) => String.fromCharCode(code))
        return dialect.concat([literal(`${start}${field.number}:`), text, literal(String(end))])
      }
    }
  })
}

/** Whether any of the lists has rows on the side of the page that its cursor bounds. */
function beforePage(emitter: Emitter, lists: readonly PhysicalList[], parent: Parent): Sql {
  const parts = lists.flatMap(({ before }) => (before === null ? [] : [hasRows(emitter, before, parent)]))
  return parts.length === 0 ? raw(`'false'`) : emitter.dialect.booleanJson(anyOf(parts))
}

function hasRows(emitter: Emitter, rows: OrderedRows, parent: Parent): Sql {
  if (parent !== null && emitter.dialect.isSpread) return hasRowsOfParent(emitter, rows, parent)
  return sql`exists ${staged(emitter, emitRows(emitter, rows, parent, { value: idOf }))}`
}

/**
 * All fields of a list: `elements` has the texts of a page's records, and `ends` the facts about its ends. `lists`: those
 * that the list consists of.
 */
export function printedList(
  emitter: Emitter,
  list: PrintedList,
  elements: (output: RowsOutput<PhysicalList>) => Sql,
  ends: () => Ends,
  lists: readonly PhysicalList[] = [list],
): Sql {
  return emitObject(emitter, list.fields, (output) => {
    if (printsRows(output)) return emitArray(emitter, elements(output))
    return output.kind === 'pageInfo'
      ? emitPageInfo(emitter, list.list, output, () => beforePage(emitter, lists, list.parent), ends)
      : besidesRows(emitter, list, output)
  })
}

function noRows(): never {
  throw new Error('The list reads no rows of a page.')
}

function besidesRows(emitter: Emitter, list: PrintedList, output: PhysicalListOutput): Sql {
  const { parent } = list
  if (parent !== null && emitter.dialect.isSpread && (output.kind === 'facets' || output.kind === 'ranked'))
    refuseStages(`\`${output.kind}\` of a list of referring records`)
  if (output.kind === 'ranked')
    return list.ranking === null
      ? raw(`'null'`)
      : sql`cast(${emitRankedCount(emitter, list.ranking, parent)} as text)`
  if (output.kind === 'missingWords') return emitMissingWords(emitter, output)
  if (output.kind === 'facets') return emitFacets(emitter, list.list.table, output, parent)
  if (output.kind !== 'totalCount') throw new Error(`${output.kind} needs the rows of the page.`)
  return emitTotal(emitter, list, parent)
}
