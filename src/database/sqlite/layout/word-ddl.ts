/**
 * The word index of a collection in SQLite: a contentless FTS5 table with one column for each text, which receives words
 * separated by spaces, with a column for marks, and a table with the weighted number of words of each record.
 */
import type { Table, WordIndex } from '../../layout/tables.ts'
import { quote } from '../../../sql/sql.ts'

export function lengthsName({ name }: Pick<WordIndex, 'name'>): string {
  return `${name}/lengths`
}

/**
 * The tokenizer separates at spaces alone: letters, digits and all characters outside ASCII belong to tokens, as do the
 * signs in `tokenchars`, which words and marks contain.
 */
export function createWordIndex(table: Table): string {
  if (table.words === null) return ''
  const name = quote(table.words.name)
  const options = `content='', columnsize=0, tokenize="ascii tokenchars '+#.,~'"`
  return `create virtual table ${name} using fts5(${wordColumns(table.words).join(', ')}, ${options});
    create table ${quote(lengthsName(table.words))} (id integer primary key, words integer not null);`
}

/** The columns of the FTS5 table: the fields by their positions, then the marks. */
export function wordColumns({ fields }: Pick<WordIndex, 'fields'>): readonly string[] {
  return [...fields.map((_, index) => wordColumn(index)), 'marks']
}

export function wordColumn(index: number): string {
  return `f${index}`
}
