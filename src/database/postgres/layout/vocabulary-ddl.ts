/** DDL of vocabularies: for each word of a collection's vectors, how many records have it. */
import { shortName } from '../../../util/text/short-name.ts'
import type { Table } from '../../layout/tables.ts'
import { quote } from './ddl.ts'

/** From the name of a word index. */
export function vocabularyName(index: string): string {
  return shortName(`${index}/vocabulary`)
}

/** An empty table. */
export function createVocabulary({ words }: Table, schema: string): string {
  return words === null
    ? ''
    : `create table ${schema}.${quote(vocabularyName(words.name))} (
        word text collate "C" primary key, n bigint not null);`
}

/** Counts the words of all rows again, in the schema that the search path leads to. */
export function fillVocabulary({ name, words }: Table): string {
  if (words === null) return ''
  const vocabulary = quote(vocabularyName(words.name))
  return `delete from ${vocabulary}; insert into ${vocabulary} ${countWords(name)};`
}

/** A query for each `word` of a table's rows, and the number `n` of those that have it. */
export function countWords(table: string): string {
  return changes([[quote(table), 1]])
}

/** Changes the vocabulary by rows that come and go. */
export function changeVocabulary({ words }: Table, rows: readonly ChangedRows[]): readonly CountChange[] {
  if (words === null) return []
  const name = quote(vocabularyName(words.name))
  const change = `insert into ${name} as c (word, n) ${changes(rows)} on conflict (word) do update set n = c.n + excluded.n`
  return [{ name, change, key: 'word' }]
}

/** A relation of rows that come (1) or go (-1). */
export type ChangedRows = readonly [from: string, n: 1 | -1]

/** A statement that adds to a table of counts or sums. Rows whose `n` becomes 0 are to be removed. */
export interface CountChange {
  /** Of the table, quoted. */
  readonly name: string
  readonly change: string
  /** A text that names a row, where there may be too many rows to look through. */
  readonly key?: string
}

function changes(rows: readonly ChangedRows[]): string {
  // Each word of a row once. A lexeme of a word begins with the capital letters of its field, marks do not.
  const each = rows.map(
    ([from, n]) => `select word, ${n} as n from (select word from ${from} r cross join lateral (
    select distinct ltrim(lexeme, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') collate "C" as word from unnest(r.words)
    where lexeme collate "C" between 'A' and '[') w) w`,
  )
  return `select word, sum(n) as n from (${each.join(' union all ')}) c group by word having sum(n) <> 0 order by word`
}
