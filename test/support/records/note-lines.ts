/** Notes as lines of an import, and what a store has of them. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { StoredLine } from '../service/engine.ts'
import { dids, note } from './notes.ts'
import type { TestStore } from '../store/store.ts'

export interface NoteGiven {
  readonly text?: string
  readonly tags?: readonly string[]
  readonly about?: object
  readonly links?: readonly object[]
  readonly rev?: string
  readonly indexedAt?: string
  /** Which repository. */
  readonly did?: number
}

export function line(rkey: string, { rev, indexedAt, did = 0, ...value }: NoteGiven = {}): StoredLine {
  return {
    uri: `at://${dids[did]}/${note}/${rkey}`,
    ...(rev && { rev }),
    ...(indexedAt && { indexedAt }),
    value: { $type: note, text: 'text', ...value },
  }
}

/** Midnight of a day in January 2026. */
export function day(n: number): string {
  return `2026-01-${String(n).padStart(2, '0')}T00:00:00Z`
}

/** Keys of the notes whose folded text has the word, by the trigram index and by the text; they must agree. */
export async function found(store: TestStore, word: string): Promise<unknown[]> {
  const trigrams = trigramsOf(word).map((trigram) => `"${trigram}"`)
  const index = store.tables.flatMap(({ texts }) => texts)[0]?.name
  const byIndex =
    store.engine === 'sqlite'
      ? await store.rows(
          `select t.rkey from "${index}" f join "${note}" t on t.id = f.rowid where "${index}" match ? order by t.id`,
          trigrams.join(' AND '),
        )
      : await store.rows(`select rkey from "${note}" where ".text:folded" like ? order by id`, `%${word}%`)
  const byText =
    store.engine === 'sqlite'
      ? await store.rows(`select rkey from "${note}" where instr(fold(".text"), ?) > 0 order by id`, word)
      : await store.rows(
          `select rkey from "${note}" where strpos(fold(record ->> 'text'), ?) > 0 order by id`,
          word,
        )
  assert.deepEqual(byIndex, byText)
  return byText.map(({ rkey }) => rkey)
}

export function trigramsOf(text: string): string[] {
  const characters = [...text]
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''))
}

/** Everything in the database, its indexes included, but the inner tables of a file's trigram indexes. */
export async function snapshot(store: TestStore): Promise<object> {
  if (store.engine === 'sqlite') return fileSnapshot(store.path)
  const schemas = `schemaname in ('lexigraph', 'lexigraph_records')`
  const content: Record<string, unknown> = {}
  for (const { name } of await store.rows(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where ${schemas}`,
  ))
    content[String(name)] = await store.rows(`select to_jsonb(t)::text as row from ${name} t order by row`)
  const indexes = await store.rows(`select indexdef from pg_indexes where ${schemas} order by indexdef`)
  return { content, indexes }
}

function fileSnapshot(path: string): object {
  const database = new DatabaseSync(path, { readOnly: true })
  const names = database
    .prepare(
      `select name from sqlite_master where type = 'table' and name not glob '*trigram*'
       and (name not glob '*/:words*' or name glob '*/:words/lengths') order by name`,
    )
    .all()
  const content = names.map(({ name }) => [String(name), database.prepare(`select * from "${name}"`).all()])
  const schema = database.prepare('select name, sql from sqlite_master order by name').all()
  database.close()
  return { content: Object.fromEntries(content), schema }
}
