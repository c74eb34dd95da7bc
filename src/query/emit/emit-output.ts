/** Outputs as SQL expressions of JSON text. Published values come unchanged from the stored record. */
import { join, literal, raw, type Sql, sql } from '../../sql/sql.ts'
import { isConstant, referenceOperand, storyAt } from '../plan/plan-facts.ts'
import type { Emitter, RecordRow, Row, UriParts } from './emitter.ts'
import { referencedValue } from './emit-records.ts'
import { jsonOf, operandOf, recordOf, referenceParts, uriText } from './emitter.ts'
import type { PhysicalList } from '../plan/physical-plan.ts'
import type { Fields } from '../plan/fields.ts'
import type { Output, RecordSelections } from '../plan/plan.ts'
import { type ReferenceOperand } from '../plan/conditions.ts'

/** A JSON object of the selected fields, as text; `value` emits those that are not constants. */
export function emitObject<Kind extends { readonly kind: string }>(
  { dialect }: Emitter,
  fields: Fields<Kind>,
  value: (output: Kind) => Sql,
): Sql {
  const parts: Sql[] = []
  let text = '{'
  for (const [index, { key, output }] of fields.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`
    if (isConstant(output)) text += output.json
    else {
      parts.push(literal(text), value(output))
      text = ''
    }
  }
  return dialect.concat([...parts, literal(`${text}}`)])
}

/** A JSON array of texts that are separated by commas; null or empty `elements` give an empty array. */
export function emitArray({ dialect }: Emitter, elements: Sql): Sql {
  return dialect.concat([raw(`'['`), elements, raw(`']'`)])
}

/** A JSON array of the rows of a query, in its order: `text` is the element of the row whose alias is `row`. */
export function emitRowsArray(emitter: Emitter, query: Sql, row: Sql, text: Sql): Sql {
  return emitArray(emitter, sql`(select ${emitter.dialect.joined(text, null)} from (${query}) ${row})`)
}

/** A number of at most 53 bits, or null, as JSON. */
export function numberJson({ dialect }: Emitter, value: Sql): Sql {
  return sql`coalesce(${dialect.numberText(value)}, 'null')`
}

/** A JSON array of a fixed number of elements. */
export function emitTuple({ dialect }: Emitter, elements: readonly Sql[]): Sql {
  const parts = elements.flatMap((element, index) => [raw(index === 0 ? `'['` : `','`), element])
  return dialect.concat([...parts, raw(elements.length === 0 ? `'[]'` : `']'`)])
}

/** Selected fields of a record or of an object inside one. */
export function emitFields(emitter: Emitter, fields: Fields<Output<PhysicalList>>, row: Row): Sql {
  return emitObject(emitter, fields, (output) => emitOutput(emitter, output, row))
}

function emitOutput(emitter: Emitter, output: Output<PhysicalList>, row: Row): Sql {
  const { dialect } = emitter
  const json = jsonOf(row)
  switch (output.kind) {
    case 'system':
      return systemValue(emitter, output.name, row)
    case 'json': {
      const story = row.kind === 'record' ? storyAt(row.table, output.path) : null
      if (story === null) return orNull(dialect.jsonAt(json, output.path))
      const { base, key } = referenceParts(emitter, story, row)
      return dialect.toJson(uriText(base, key))
    }
    case 'jsonArray':
    case 'anyJson':
      return orNull(dialect.nestedJsonAt(json, output.path))
    case 'wrapped':
      return orNull(dialect.jsonAt(json, [...output.path, output.key]))
    case 'blobField':
      return blobField(emitter, output, json)
    case 'object':
      return nullOr(dialect.scalarAt(json, output.path), emitFields(emitter, output.fields, row))
    case 'union': {
      const type = dialect.scalarAt(json, [...output.path, '$type'])
      const cases = output.cases.map(
        ({ origin, fields }) =>
          sql`when ${type} in (${spellings(origin)}) then ${emitFields(emitter, fields, row)} `,
      )
      const otherwise = output.otherwise === null ? raw(`'null'`) : emitFields(emitter, output.otherwise, row)
      const absent = sql`when ${dialect.scalarAt(json, output.path)} is null then 'null' `
      return sql`case ${cases.reduce((all, next) => sql`${all}${next}`, absent)}else ${otherwise} end`
    }
    case 'array': {
      const alias = emitter.alias()
      const each = dialect.each(json, output.path, alias)
      const from = row.from && sql`${row.from} cross join lateral ${each}`
      const element: Row = { kind: 'json', value: sql`${alias}.value`, ...(from && { from }) }
      const text = emitOutput(emitter, output.element, element)
      const all = sql`select ${dialect.joined(text, null)} from ${each}`
      return nullOr(dialect.scalarAt(json, output.path), emitArray(emitter, sql`(${all})`))
    }
    case 'isCurrent': {
      const of: ReferenceOperand = { kind: 'json', path: output.path, shape: 'strongRef' }
      const cid = dialect.scalarAt(json, [...output.path, 'cid'])
      const same = referencedValue(emitter, referenceParts(emitter, of, row), emitter.tables, ({ alias }) =>
        dialect.booleanJson(sql`${dialect.cidText(sql`${alias}.cid`)} = ${cid}`),
      )
      return orNull(same)
    }
    case 'resolved': {
      const of = referenceOperand(row.kind === 'record' ? row.table : null, output.path, output.from)
      return resolved(emitter, referenceParts(emitter, of, row), output.records)
    }
    case 'list':
      return emitter.list(emitter, output.list, recordOf(row))
  }
}

/** The record behind a reference, from the collection that its URI names. */
export function resolved(emitter: Emitter, uri: UriParts, records: RecordSelections<PhysicalList>): Sql {
  const tables = records.map(({ table }) => table)
  const value = (row: RecordRow): Sql => {
    const fields = records.find(({ table }) => table === row.table)?.fields ?? []
    return emitFields(emitter, fields, row)
  }
  // The record is expected in the collection with the most selected fields, if there is a single one.
  const [first, second] = records.toSorted((a, b) => b.fields.length - a.fields.length)
  const isLikeliest = first !== undefined && first.fields.length > (second?.fields.length ?? 0)
  return orNull(referencedValue(emitter, uri, tables, value, isLikeliest ? first.table : undefined))
}

function systemValue(emitter: Emitter, name: Extract<Output, { kind: 'system' }>['name'], row: Row): Sql {
  if (row.kind !== 'record') throw new Error(`Only a record has ${name}.`)
  const { dialect } = emitter
  const { alias, table } = row
  switch (name) {
    case 'uri':
      return dialect.toJson(uriText(sql`${alias}.base`, sql`${alias}.rkey`))
    case 'cid':
    case 'rev':
    case 'did':
    case 'rkey':
      return dialect.toJson(operandOf(emitter, { kind: 'system', name }, row))
    case 'actorHandle':
      return dialect.toJson(sql`(select handle from actor where did = ${dialect.did(alias)})`)
    case 'collection':
      return literal(JSON.stringify(table.collection.nsid))
    case 'indexedAt':
      return dialect.toJson(sql`instant_text(${alias}.indexed_at)`)
    case 'changedAt':
      return dialect.toJson(sql`instant_text(${alias}.changed_at)`)
    case 'recordJson':
      return dialect.recordJson(sql`${alias}.record`)
  }
}

/** Blobs have two forms: `{ref: {$link}, mimeType, size}`, and the older `{cid, mimeType}`. */
function blobField(
  { dialect }: Emitter,
  { path, name }: Extract<Output, { kind: 'blobField' }>,
  json: Sql,
): Sql {
  const at = (...keys: string[]): Sql => dialect.jsonAt(json, [...path, ...keys])
  return name === 'ref' ? sql`coalesce(${at('ref', '$link')}, ${at('cid')}, 'null')` : orNull(at(name))
}

function nullOr(present: Sql, json: Sql): Sql {
  return sql`case when ${present} is null then 'null' else ${json} end`
}

function orNull(value: Sql): Sql {
  return sql`coalesce(${value}, 'null')`
}

/** All values of `$type` that name one definition (https://atproto.com/specs/lexicon#type-field). */
function spellings(origin: string): Sql {
  const names = origin.includes('#') ? [origin] : [origin, `${origin}#main`]
  return join([...names, ...names.map((name) => `lex:${name}`)].map(literal), ', ')
}
