/**
 * The status of the index as SQL. It depends on the clock, and on sources, which are written independently of the
 * records, so it must never be cached.
 */
import { longestSilence, unnamedSource } from '../../database/database.ts'
import { literal, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitCount } from './groups/emit-counts.ts'
import { emitObject } from './emit-output.ts'
import type { Emitter } from './emitter.ts'
import type { CountedTable } from '../plan/physical-plan.ts'
import type { CollectionStatusOutput, Fields, SourceStatusOutput, StatusOutput } from '../plan/plan.ts'

export function emitStatus(emitter: Emitter, fields: Fields<StatusOutput<CountedTable>>): Sql {
  return emitObject(emitter, fields, (output) => {
    switch (output.kind) {
      case 'collections':
        return collections(emitter, output.tables, output.fields)
      case 'sources':
        return sources(emitter, output.fields)
    }
  })
}

function collections(
  emitter: Emitter,
  tables: readonly CountedTable[],
  fields: Fields<CollectionStatusOutput>,
): Sql {
  const parts = tables.flatMap((counted, index) => [
    raw(index === 0 ? `'['` : `','`),
    emitObject(emitter, fields, (output) => collectionValue(emitter, counted, output)),
  ])
  return emitter.dialect.concat([...parts, raw(tables.length === 0 ? `'[]'` : `']'`)])
}

function collectionValue(
  emitter: Emitter,
  { table, count }: CountedTable,
  output: CollectionStatusOutput,
): Sql {
  const { dialect, state } = emitter
  const { nsid } = table.collection
  switch (output.kind) {
    case 'name':
      return literal(JSON.stringify(nsid))
    case 'records':
      if (count === null) throw new Error('The plan counts no records.')
      return emitCount(emitter, count, table, null)
    case 'newestIndexedAt': {
      // Ids are in the order of `indexed_at`, or there is an index on it: in both cases the first row read is the
      // newest.
      const order = raw(state.ordered.has(nsid) ? 'id' : 'indexed_at')
      const newest = sql`select indexed_at from ${emitter.rows(table, emitter.alias())} order by ${order} desc`
      return dialect.toJson(dialect.instantText(sql`(${newest} limit 1)`))
    }
  }
}

function sources(emitter: Emitter, fields: Fields<SourceStatusOutput>): Sql {
  const { dialect } = emitter
  const source = emitter.alias()
  const text = emitObject(emitter, fields, (output) => sourceValue(emitter, source, output))
  const all = sql`(select ${dialect.joined(text, null)} from (select * from source order by name) ${source})`
  return dialect.concat([raw(`'['`), all, raw(`']'`)])
}

function sourceValue({ dialect }: Emitter, source: Sql, output: SourceStatusOutput): Sql {
  const silent = sql`${source}.heard_at < ${dialect.now()} - ${raw(String(longestSilence))}`
  switch (output.kind) {
    case 'name':
      return dialect.toJson(sql`coalesce(${source}.public_name, ${literal(unnamedSource)})`)
    case 'state':
      return sql`case when ${source}.state <> 'finished' and ${silent} then '"stopped"' else ${dialect.toJson(sql`${source}.state`)} end`
    case 'lagSeconds': {
      // Clocks differ: an event may be later than the local time.
      const age = sql`case when ${source}.event_at > ${dialect.now()} then 0.0 else ${dialect.asFloat(sql`${dialect.now()} - ${source}.event_at`)} / 1000000 end`
      const live = sql`${source}.state = 'live' and not ${silent}`
      return dialect.toJson(sql`coalesce(case when ${live} then ${source}.lag end, ${age})`)
    }
    case 'lastEventAt':
      return dialect.toJson(dialect.instantText(sql`${source}.event_at`))
  }
}
