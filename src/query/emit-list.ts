/** Lists as SQL: the ids of a page in order, then what is selected of them. */
import type { IdLists } from '../sql/dialect.ts'
import { allOf, identifier, literal, raw, type Sql, sql } from '../sql/sql.ts'
import { totalSize } from './cost-reading.ts'
import { emitCount, emitReferringCount } from './emit-counts.ts'
import { columnList, columnsRead } from './columns-read.ts'
import { positionOf } from './emit-order.ts'
import { emitFields, emitObject } from './emit-output.ts'
import { conditionBeside, emitAccessPath } from './emit-access-path.ts'
import { emitRows, idOf, linkedTo } from './emit-rows.ts'
import { emitCondition } from './emit-where.ts'
import type { Emitter, RecordRow } from './emitter.ts'
import type { EdgeOutput, ListOutput, ListPlan, PageInfoOutput } from './plan.ts'
import { chooseCountAccessPath } from './access-paths.ts'

/** The list as JSON text; `parent` is the alias of the row its link hangs on. */
export function emitList(emitter: Emitter, list: ListPlan, parent: Sql | null): Sql {
  const needs = needsOf(list)
  const { dialect } = emitter
  if (!needs.rows)
    return emitObject(emitter, list.fields, (output) => outsideRows(emitter, list, parent, output))
  const { backward, size } = list.page
  const { plannerControl } = dialect
  if (plannerControl.kind === 'hints' && (needs.ends || backward))
    return emitIdPage(emitter, plannerControl.ids, list, parent, needs)
  const alias = emitter.alias()
  const joined = emitter.alias()
  const row: RecordRow = { kind: 'record', alias, table: list.table }
  const elements = list.fields.map(({ output }) => output).filter(printsRows)
  const [only] = elements
  const mayPrint = dialect.joinKeepsOrder && elements.length === 1
  const found: { of: 'ids' | 'rows' | 'texts' } = { of: 'ids' }
  const position = positionOf(emitter, list.sort, row)
  const inFull = new Map(
    dialect.joinKeepsOrder
      ? []
      : elements.map((output) => [output, emitElement(emitter, list, output, row)] as const),
  )
  const rows = emitRows(emitter, list, parent, {
    reverse: backward,
    inclusive: false,
    limit: needs.ends ? size + 1 : size,
    // What comes in order is printed where it is found, or taken with all that is read of it, which spares finding it again by its id.
    value: (one, comesInOrder) => {
      if (!comesInOrder) return idOf(one)
      if (!dialect.joinKeepsOrder) {
        found.of = 'rows'
        const texts = [...inFull.values(), ...(needs.ends ? [position] : [])]
        return columnList(one.alias, columnsRead(list.table, alias, texts))
      }
      if (!mayPrint || only === undefined) return idOf(one)
      found.of = 'texts'
      return sql`${emitElement(emitter, list, only, one)} as text`
    },
  })
  if (found.of === 'texts') {
    const texts = array(emitter, dialect.joined(sql`${joined}.text`, null))
    const printed = emitObject(emitter, list.fields, (output) =>
      output === only ? texts : outsideRows(emitter, list, parent, output),
    )
    return sql`(select ${printed} from (${rows}) ${joined})`
  }
  const isWhole = found.of === 'rows'
  const page = isWhole ? alias : joined
  const columns = raw(isWhole ? '*' : 'id')
  const numbered = needs.ends
    ? sql`select ${columns}, row_number() over () as n, count(*) over () as c from (${rows}) ${emitter.alias()}`
    : backward || !(isWhole || dialect.joinKeepsOrder)
      ? sql`select ${columns}, row_number() over () as n from (${rows}) ${emitter.alias()}`
      : rows
  const inOrder = backward ? sql`select * from (${numbered}) ${emitter.alias()} order by n desc` : numbered
  const number = backward ? sql`-${page}.n` : sql`${page}.n`
  // Nothing is joined to whole rows that could change their order.
  const inTurn = (text: Sql): Sql =>
    isWhole ? dialect.joined(text, own) : dialect.joinedBy(number, text, own)
  const own = needs.ends ? sql`${page}.n <= ${size}` : null
  const values = (output: ListOutput): Sql => {
    switch (output.kind) {
      case 'edges':
      case 'nodes':
        return array(emitter, inTurn(inFull.get(output) ?? emitElement(emitter, list, output, row)))
      case 'pageInfo': {
        const first = backward ? sql`case when ${page}.c < ${size} then ${page}.c else ${size} end` : sql`1`
        const last = backward ? sql`1` : sql`case when ${page}.c < ${size} then ${page}.c else ${size} end`
        const positionAt = (n: Sql): Sql => sql`max(${position}) filter (where ${page}.n = ${n})`
        if (!needsPage(list, output)) return outsideRows(emitter, list, parent, output)
        return emitPageInfo(emitter, list, parent, output, {
          more: sql`count(*) > ${size}`,
          first: positionAt(first),
          last: positionAt(last),
        })
      }
      default:
        return outsideRows(emitter, list, parent, output)
    }
  }
  // Ids of the page are of rows that may be seen.
  const table = identifier(list.table.name)
  const others = isWhole ? sql`` : sql` ${dialect.join} ${table} ${alias} on ${alias}.id = ${page}.id`
  return sql`(select ${emitObject(emitter, list.fields, values)} from (${inOrder}) ${page}${others})`
}

/**
 * A page that is found from its end, or that something is said of besides its rows. Its ids are put into one value first:
 * there they have their places, which window functions would have to count row by row.
 */
function emitIdPage(emitter: Emitter, ids: IdLists, list: ListPlan, parent: Sql | null, needs: Needs): Sql {
  const { dialect } = emitter
  const { backward, size } = list.page
  const scan = {
    reverse: backward,
    inclusive: false,
    limit: needs.more ? size + 1 : size,
    value: idOf,
  }
  const row = emitter.alias()
  let mayTie = false
  const rows = emitRows(emitter, list, parent, {
    ...scan,
    tied: ({ alias }) => {
      mayTie = true
      return sql`max(${alias}.id) as id, count(*) as n`
    },
  })
  let found = ids.of(sql`${row}.id`)
  if (mayTie) {
    // Records with equal keys in several accounts are rare enough to be sorted only when they are met.
    const sorted = emitRows(emitter, list, parent, scan)
    found = sql`case when max(${row}.n) > 1 then (select ${ids.of(sql`id`)} from (${sorted}) ${emitter.alias()}) else ${found} end`
  }
  const page = emitter.alias()
  const all = sql`${page}.ids`
  const elements = (output: RowsOutput): Sql => {
    const [alias, each] = [emitter.alias(), emitter.alias()]
    const text = emitElement(emitter, list, output, { kind: 'record', alias, table: list.table })
    const places = ids.rows(all, each, backward)
    const found = sql`${identifier(list.table.name)} ${alias} on ${alias}.id = ${each}.value`
    const within = needs.more ? sql` where ${each}.key < ${size}` : sql``
    return sql`(select ${dialect.joined(text, null)} from ${places} ${dialect.join} ${found}${within})`
  }
  const positionAt = (place: Sql): Sql => {
    const alias = emitter.alias()
    const position = positionOf(emitter, list.sort, { kind: 'record', alias, table: list.table })
    return sql`(select ${position} from ${identifier(list.table.name)} ${alias} where ${alias}.id = ${ids.at(all, place)})`
  }
  const nearest = sql`0`
  const farthest = sql`min(${ids.length(all)}, ${size}) - 1`
  const printed = emitObject(emitter, list.fields, (output) => {
    if (printsRows(output)) return array(emitter, elements(output))
    if (output.kind !== 'pageInfo' || !needsPage(list, output))
      return outsideRows(emitter, list, parent, output)
    return emitPageInfo(emitter, list, parent, output, {
      more: sql`${ids.length(all)} > ${size}`,
      first: positionAt(backward ? farthest : nearest),
      last: positionAt(backward ? nearest : farthest),
    })
  })
  return sql`(select ${printed} from (select ${found} as ids from (${rows}) ${row}) ${page})`
}

/** What the rows of a page tell of it; positions as JSON arrays. */
interface Ends {
  readonly more: Sql
  readonly first: Sql
  readonly last: Sql
}

function emitPageInfo(
  emitter: Emitter,
  list: ListPlan,
  parent: Sql | null,
  { fields }: PageInfo,
  ends: Ends | null,
): Sql {
  const { dialect } = emitter
  const { backward, size } = list.page
  const ofPage = (): Ends => {
    if (ends === null) throw new Error('The ends of a page need its rows.')
    return ends
  }
  const cursorAt = (end: 'first' | 'last'): Sql =>
    size === 0
      ? raw(`'null'`)
      : sql`coalesce(${dialect.toJson(dialect.cursor(list.binding, ofPage()[end]))}, 'null')`
  const more = (): Sql => dialect.booleanJson(ofPage().more)
  return emitObject(emitter, fields, (field: PageInfoOutput) => {
    switch (field.kind) {
      case 'constant':
        return literal(field.json)
      case 'hasNextPage':
        return backward ? behind(emitter, list, parent) : more()
      case 'hasPreviousPage':
        return backward ? more() : behind(emitter, list, parent)
      case 'startCursor':
        return cursorAt('first')
      case 'endCursor':
        return cursorAt('last')
    }
  })
}

type PageInfo = Extract<ListOutput, { kind: 'pageInfo' }>
type RowsOutput = Extract<ListOutput, { kind: 'edges' | 'nodes' }>

function printsRows(output: ListOutput): output is RowsOutput {
  return output.kind === 'edges' || output.kind === 'nodes'
}

/** An edge or a node. */
function emitElement(emitter: Emitter, list: ListPlan, output: RowsOutput, row: RecordRow): Sql {
  if (output.kind === 'nodes') return emitFields(emitter, output.fields, row)
  const { dialect } = emitter
  return emitObject(emitter, output.fields, (field: EdgeOutput) => {
    if (field.kind === 'cursor')
      return dialect.toJson(dialect.cursor(list.binding, positionOf(emitter, list.sort, row)))
    return field.kind === 'node' ? emitFields(emitter, field.fields, row) : literal(field.json)
  })
}

function outsideRows(emitter: Emitter, list: ListPlan, parent: Sql | null, output: ListOutput): Sql {
  if (output.kind === 'constant') return literal(output.json)
  if (output.kind === 'pageInfo') return emitPageInfo(emitter, list, parent, output, null)
  if (output.kind !== 'totalCount') throw new Error(`${output.kind} needs the rows of the page.`)
  const kept =
    list.link === null || parent === null
      ? emitCount(emitter, list.table, list.where)
      : emitReferringCount(emitter, list.table, list.where, list.link, {
          base: sql`${parent}.base`,
          key: sql`${parent}.rkey`,
        })
  if (kept !== null) {
    if (list.link === null) emitter.addSavedSize(totalSize(list))
    return kept
  }
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table: list.table }
  if (list.link !== null && parent !== null) {
    emitter.addEstimatedRows(Number.POSITIVE_INFINITY)
    const where = emitCondition(emitter, list.where, row)
    const { from, on } = linkedTo(emitter, list.link, row, parent)
    return sql`(select count(*) from ${from} where ${on} and ${where})`
  }
  const accessPath = chooseCountAccessPath(emitter, list.table, list.where)
  const where = conditionBeside(emitter, accessPath, row, list.where)
  const { from, on } = emitAccessPath(emitter, accessPath, row, list.where, null)
  return sql`(select count(*) from ${from} where ${allOf([...on, where])})`
}

interface Needs {
  readonly rows: boolean
  /** Whether something is said of the page's first and last row, or of what lies beyond. */
  readonly ends: boolean
  /** Whether it is asked if the list goes on where the page ends. */
  readonly more: boolean
}

function needsOf(list: ListPlan): Needs {
  const outputs = list.fields.map(({ output }) => output)
  const ends = outputs.some((output) => output.kind === 'pageInfo' && needsPage(list, output))
  const onwards = onwardsOf(list)
  const more = outputs.some(
    (output) => output.kind === 'pageInfo' && output.fields.some(({ output: { kind } }) => kind === onwards),
  )
  return { rows: ends || outputs.some(printsRows), ends, more }
}

/**
 * Whether any of these fields is computed from the rows of the page. All others must be selected outside of the page's
 * rows: an expression without an aggregate comes once for each row, and not at all for an empty page.
 */
function needsPage(list: ListPlan, { fields }: PageInfo): boolean {
  const onwards = onwardsOf(list)
  return fields.some(({ output: { kind } }) => {
    const isCursor = kind === 'startCursor' || kind === 'endCursor'
    return kind === onwards || (isCursor && list.page.size > 0)
  })
}

function onwardsOf({ page }: ListPlan): 'hasPreviousPage' | 'hasNextPage' {
  return page.backward ? 'hasPreviousPage' : 'hasNextPage'
}

function array({ dialect }: Emitter, elements: Sql): Sql {
  return dialect.concat([raw(`'['`), elements, raw(`']'`)])
}

/** Whether there is anything on the side of the page that its cursor closes off. */
function behind(emitter: Emitter, list: ListPlan, parent: Sql | null): Sql {
  if (list.page.from === null) return raw(`'false'`)
  const rows = emitRows(emitter, list, parent, {
    reverse: !list.page.backward,
    inclusive: true,
    limit: 1,
    value: idOf,
  })
  return emitter.dialect.booleanJson(sql`exists (${rows})`)
}
