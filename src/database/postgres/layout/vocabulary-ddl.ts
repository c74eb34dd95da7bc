/**
 * DDL of vocabularies: for each word of a collection's vectors, how many records have it. The triggers of materialized
 * counts keep them right.
 */
import { shortName } from '../../../util/text/short-name.ts'
import type { Table, WordIndex } from '../../layout/tables.ts'
import { quote, recordsSchema } from './ddl.ts'
import type { Event } from './triggers.ts'

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

/** What a trigger does with changed rows. */
export function changeVocabulary({ name }: WordIndex, event: Event): string {
  const vocabulary = `${recordsSchema}.${quote(vocabularyName(name))}`
  const [come, went] = [['new_rows', 1] as const, ['old_rows', -1] as const]
  const add = (rows: readonly ChangedRows[]): string =>
    `insert into ${vocabulary} as v (word, n) ${changes(rows)} on conflict (word) do update set n = v.n + excluded.n;`
  if (event === 'insert') return add([come])
  return `${add(event === 'update' ? [come, went] : [went])}
    delete from ${vocabulary} where n = 0 and word in (${wordsOf('old_rows')});`
}

type ChangedRows = readonly [from: string, n: 1 | -1]

function changes(rows: readonly ChangedRows[]): string {
  const each = rows.map(([from, n]) => `select word, ${n} as n from (${wordsOf(from)}) w`)
  return `select word, sum(n) as n from (${each.join(' union all ')}) c group by word having sum(n) <> 0 order by word`
}

/** The words of each row, each once. A lexeme of a word begins with the capital letters of its field, marks do not. */
function wordsOf(from: string): string {
  return `select word from ${from} r cross join lateral (
    select distinct ltrim(lexeme, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') collate "C" as word from unnest(r.words)
    where lexeme collate "C" between 'A' and '[') w`
}
