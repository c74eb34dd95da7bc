/** Lists as SQL: the ids of a page in order, then what is selected of them. */
import type { ColumnValue } from '../database/database.ts'
import { allOf, anyOf, identifier, join, literal, raw, type Sql, sql } from '../sql/sql.ts'
import { beyondStart } from './bounds.ts'
import { isInstant } from './build-list.ts'
import { totalSize } from './cost-reading.ts'
import { emitCount, emitReferringCount } from './emit-counts.ts'
import { beyondPosition } from './emit-id-order.ts'
import { columnList, columnsRead } from './columns-read.ts'
import { emitFields, emitObject } from './emit-output.ts'
import { fromRoad } from './emit-road.ts'
import { columnOf, emitCondition, linked, uriText } from './emit-where.ts'
import { type Emitter, type Row, rowsOf } from './emitter.ts'
import { type Span, spansOf } from './other-records.ts'
import type {
  Condition,
  Direction,
  EdgeOutput,
  Link,
  ListOutput,
  ListPlan,
  PageInfoOutput,
  SortKey,
} from './plan.ts'
import {
  chooseCountRoad,
  chooseRoad,
  conjuncts,
  isDefaultOrder,
  isIdOrder,
  orderGiven,
  type Road,
} from './roads.ts'

type RecordRow = Extract<Row, { kind: 'record' }>

/** The list as JSON text; `parent` is the alias of the row its link hangs on. */
export function emitList(emitter: Emitter, list: ListPlan, parent: Sql | null): Sql {
  const needs = needsOf(list)
  const { dialect } = emitter
  if (!needs.rows)
    return emitObject(emitter, list.fields, (output) => outsideRows(emitter, list, parent, output))
  const { backward, size } = list.page
  const alias = emitter.alias()
  const joined = emitter.alias()
  const row: RecordRow = { kind: 'record', alias, table: list.table }
  const elements = list.fields.map(({ output }) => output).filter(printsRows)
  const [only] = elements
  const mayPrint = dialect.joinKeepsOrder && elements.length === 1 && !needs.ends && !backward
  const found: { of: 'ids' | 'rows' | 'texts' } = { of: 'ids' }
  const position = keyArray(emitter, list.sort, row)
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
        const cursorAt = (n: Sql): Sql =>
          size === 0
            ? raw(`'null'`)
            : sql`coalesce(${dialect.toJson(dialect.cursor(list.binding, sql`max(${position}) filter (where ${page}.n = ${n})`))}, 'null')`
        const more = dialect.booleanJson(sql`count(*) > ${size}`)
        return emitObject(emitter, output.fields, (field: PageInfoOutput) => {
          switch (field.kind) {
            case 'constant':
              return literal(field.json)
            case 'hasNextPage':
              return backward ? behind(emitter, list, parent) : more
            case 'hasPreviousPage':
              return backward ? more : behind(emitter, list, parent)
            case 'startCursor':
              return cursorAt(first)
            case 'endCursor':
              return cursorAt(last)
          }
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
      return dialect.toJson(dialect.cursor(list.binding, keyArray(emitter, list.sort, row)))
    return field.kind === 'node' ? emitFields(emitter, field.fields, row) : literal(field.json)
  })
}

function outsideRows(emitter: Emitter, list: ListPlan, parent: Sql | null, output: ListOutput): Sql {
  if (output.kind === 'constant') return literal(output.json)
  if (output.kind !== 'totalCount') throw new Error(`${output.kind} needs the rows of the page.`)
  const kept =
    list.link === null || parent === null
      ? emitCount(emitter, list.table, list.where)
      : emitReferringCount(emitter, list.table, list.where, list.link, {
          base: sql`${parent}.base`,
          key: sql`${parent}.rkey`,
        })
  if (kept !== null) {
    if (list.link === null) emitter.spares(totalSize(list))
    return kept
  }
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table: list.table }
  const where = emitCondition(emitter, list.where, row)
  if (list.link !== null && parent !== null) {
    emitter.reads(Number.POSITIVE_INFINITY)
    const { from, on } = linkedTo(emitter, list.link, row, parent)
    return sql`(select count(*) from ${from} where ${on} and ${where})`
  }
  const { from, on } = fromRoad(
    emitter,
    chooseCountRoad(emitter, list.table, list.where),
    row,
    list.where,
    null,
  )
  return sql`(select count(*) from ${from} where ${allOf([...on, where])})`
}

function needsOf({ fields }: ListPlan): { readonly rows: boolean; readonly ends: boolean } {
  const kinds = fields.map(({ output }) => output.kind)
  const ends = kinds.includes('pageInfo')
  return { rows: ends || kinds.includes('edges') || kinds.includes('nodes'), ends }
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

interface Walk {
  /** Against the list's own order. */
  readonly reverse: boolean
  /** Whether the row at the page's cursor counts. */
  readonly inclusive: boolean
  readonly limit: number
  /** What is wanted of a row, and whether only those of the page come to it: none is sorted after it. */
  value(row: RecordRow, comesInOrder: boolean): Sql
}

function idOf({ alias }: RecordRow): Sql {
  return sql`${alias}.id as id`
}

/** Rows in order from the page's cursor on. */
function emitRows(
  emitter: Emitter,
  list: ListPlan,
  parent: Sql | null,
  { reverse, inclusive, limit, value }: Walk,
): Sql {
  const { table } = list
  const sort = reverse ? list.sort.map((key) => ({ ...key, direction: opposite(key.direction) })) : list.sort
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
  const { from: position } = list.page
  const where = whereBeyond(emitter, list, sort)
  const condition = emitCondition(emitter, where, row)
  const idOrder = isIdOrder(emitter, table, sort)
  // Of a parent there may be any number, which only their ids give in order.
  if (list.link !== null && !(idOrder && conjuncts(where).length === 0))
    emitter.reads(Number.POSITIVE_INFINITY)
  if (idOrder) {
    const direction = sort[0]?.direction ?? 'desc'
    const bound = position === null ? null : beyondPosition(emitter, table, position, direction, inclusive)
    const order = sql`order by ${row.alias}.id ${raw(direction)}`
    if (list.link !== null && parent !== null) {
      const { from, on } = linkedTo(emitter, list.link, row, parent)
      const beyond = bound === null ? sql`` : sql` and ${row.alias}.id ${bound}`
      const wanted = value(row, list.link.kind === 'columns' && conjuncts(where).length === 0)
      return sql`select ${wanted} from ${from} where ${on}${beyond} and ${condition} ${order} limit ${emitter.dialect.limit(limit)}`
    }
    const road = chooseRoad(emitter, table, where, sort)
    const { from, on } = fromRoad(emitter, road, row, where, { direction, bound })
    // Looked-up ids come in order by themselves; asking for it again would gather all of them first.
    const ordering = road.kind === 'ids' ? sql`` : order
    // Along another index rows may have to be sorted.
    const comesInOrder = road.kind === 'ids' || (road.kind === 'walk' && road.index === null)
    return sql`select ${value(row, comesInOrder)} from ${from} where ${allOf([...on, condition])} ${ordering} limit ${emitter.dialect.limit(limit)}`
  }
  const { dialect } = emitter
  const orders = sort.map(
    (key) => sql`${keyOf(emitter, key, row)} ${dialect.ordering(key.direction, key.value.kind !== 'system')}`,
  )
  const order = join(orders, ', ')
  const starts = position === null ? [] : segments(emitter, sort, position, row, inclusive)
  const end = sql`limit ${dialect.limit(limit)}`
  // SQLite still sorts what has an equal key.
  const isSorted = dialect.joinKeepsOrder
  if (list.link !== null && parent !== null) {
    const { from, on } = linkedTo(emitter, list.link, row, parent)
    const beyond = position === null ? sql`` : sql` and ${anyOf(starts)}`
    // The index of such a link has the default order behind each parent.
    const wanted = value(row, !isSorted && list.link.kind === 'columns' && isDefaultOrder(sort))
    return sql`select ${wanted} from ${from} where ${on}${beyond} and ${condition} order by ${order} ${end}`
  }
  const road = chooseRoad(emitter, table, where, sort)
  const given = orderGiven(road, table, sort)
  // Of all rows the first in an order that has an index: there is nothing to be mistaken in, and no need of a fence.
  const isPlain =
    given === 'all' && position === null && conjuncts(where).length === 0 && !emitter.state.hiding
  const wanted = value(row, !isSorted && given === 'all')
  const part = (start: readonly Sql[], span: Span | null): Sql => {
    const asked = span === null ? condition : conditionIn(emitter, where, row, span)
    const along =
      given === 'none'
        ? null
        : {
            start,
            order: given === 'all' ? order : (orders[0] as Sql),
            direction: sort[0]?.direction ?? 'asc',
            span,
            columns: columnsRead(table, row.alias, [wanted, ...start, asked, order]),
          }
    const isFree = isPlain && dialect.steering.kind === 'fences'
    const chosen: Road = isFree ? { kind: 'free' } : road
    const { from, on, before } = fromRoad(emitter, chosen, row, where, null, along)
    const held = allOf([...on, ...start, asked])
    // A condition that the engine cannot look into leaves it the order as it is.
    const [conditions, ordering] =
      before === undefined ? [held, order] : [sql`(${held}) is true`, sql`${before}, ${order}`]
    return sql`select ${wanted} from ${from} where ${conditions} order by ${ordering} ${end}`
  }
  if (given === 'none') return part(position === null ? [] : [anyOf(starts)], null)
  const spans = given === 'all' ? spansOf(emitter, table, where, limit) : [null]
  // Each segment is one range of the order's index, and they follow each other in order.
  const segment = (start: readonly Sql[]): Sql[] => spans.map((span) => part(start, span))
  const parts = position === null ? segment([]) : starts.flatMap((start) => segment([start]))
  if (position === null && parts.length === 1) return parts[0] as Sql
  const inTurn = parts.map((rows) => sql`select * from (${rows}) ${emitter.alias()}`)
  return sql`${join(inTurn, ' union all ')} ${end}`
}

/** Of near rows other records are asked one by one, of far ones all at once. */
function conditionIn(emitter: Emitter, where: Condition, row: RecordRow, { side }: Span): Sql {
  const asked = side === 'near' ? 'each' : 'once'
  return emitCondition(emitter, where, row, { reference: null, nested: false, asked })
}

/** The conditions beside the page's start. A start outside of them is nobody's page: what lies between is walked. */
function whereBeyond(
  emitter: Emitter,
  { table, where, page }: ListPlan,
  sort: readonly SortKey[],
): Condition {
  if (page.from === null) return where
  const parts = conjuncts(where)
  const beyond = beyondStart(parts, sort[0], page.from[0] ?? null)
  if (!beyond.isWithin) emitter.reads(rowsOf(emitter, table))
  return beyond.parts.length === parts.length ? where : { kind: 'all', of: beyond.parts }
}

function opposite(direction: Direction): Direction {
  return direction === 'asc' ? 'desc' : 'asc'
}

/** The part of an order beyond a position, as disjoint ranges in that order: one more equal key, then one beyond. */
function segments(
  emitter: Emitter,
  sort: readonly SortKey[],
  position: readonly ColumnValue[],
  row: RecordRow,
  inclusive: boolean,
): Sql[] {
  const found: Sql[] = inclusive
    ? [allOf(sort.map((key, index) => equals(emitter, key, position[index] ?? null, row)))]
    : []
  for (let last = sort.length - 1; last >= 0; last -= 1) {
    const key = sort[last] as SortKey
    const before = sort.slice(0, last).map((it, index) => equals(emitter, it, position[index] ?? null, row))
    for (const beyond of beyondKey(emitter, key, position[last] ?? null, row))
      found.push(allOf([...before, beyond]))
  }
  return found
}

function equals(emitter: Emitter, key: SortKey, value: ColumnValue, row: RecordRow): Sql {
  const at = keyOf(emitter, key, row)
  return value === null ? sql`${at} is null` : sql`${at} = ${value}`
}

/** A missing value is smaller than any: first going up, last going down. */
function beyondKey(emitter: Emitter, key: SortKey, value: ColumnValue, row: RecordRow): readonly Sql[] {
  const at = keyOf(emitter, key, row)
  if (key.direction === 'asc') return [value === null ? sql`${at} is not null` : sql`${at} > ${value}`]
  if (value === null) return []
  return key.nullable ? [sql`${at} < ${value}`, sql`${at} is null`] : [sql`${at} < ${value}`]
}

function keyOf(emitter: Emitter, { value }: SortKey, { alias }: RecordRow): Sql {
  switch (value.kind) {
    case 'column':
      return columnOf(emitter, alias, value.column)
    case 'uriText':
      return uriText(columnOf(emitter, alias, value.base), columnOf(emitter, alias, value.key))
    case 'system':
      if (value.name === 'did') return emitter.dialect.did(alias)
      if (value.name === 'baseUri') return sql`(select uri from base where id = ${alias}.base)`
      return sql`${alias}.${identifier(value.name)}`
  }
}

function keyArray(emitter: Emitter, sort: readonly SortKey[], row: RecordRow): Sql {
  const { dialect } = emitter
  return dialect.jsonArray(
    sort.map((key) => (isInstant(key) ? dialect.asText(keyOf(emitter, key, row)) : keyOf(emitter, key, row))),
  )
}

/** The records of a linked list: what to read from, and that they refer to the parent. */
function linkedTo(
  emitter: Emitter,
  link: Link,
  row: RecordRow,
  parent: Sql,
): { readonly from: Sql; readonly on: Sql } {
  const { from, base, key } = linked(emitter, link, row)
  return { from, on: sql`${base} = ${parent}.base and ${key} = ${parent}.rkey` }
}
