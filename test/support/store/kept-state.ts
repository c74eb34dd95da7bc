/** All that a store keeps, in a form in which ids do not matter: that of two stores can be compared, whichever their engines. */
import { storedColumns, type Table } from '../../../src/database/layout/tables.ts'
import { recordText, type Row, type TestStore } from './store.ts'
import { isSpread } from './postgres.ts'

export type KeptState = Readonly<Record<string, readonly Row[]>>

export async function keptState(store: TestStore): Promise<KeptState> {
  const texts: Record<string, string> = {
    base: 'select uri, did, collection from base',
    hidden: `select ${uri('hidden.base')} as uri from hidden`,
    quarantined: `select ${uri('parked.base')} || parked.rkey as uri, ${kept(store, 'parked')} from parked`,
    expired: `select ${uri('expired.base')} || rkey as uri, rev, indexed_at from expired`,
    tombstone: `select ${uri('tombstone.base')} || rkey as uri, rev from tombstone`,
  }
  for (const name of [
    'rejection',
    'actor',
    'source',
    'outcome',
    'job',
    'fetched',
    'listing',
    'api_key',
    'key_usage',
    'hiding',
    'purge',
  ])
    texts[name] = `select * from ${name}`
  const state = await stateOf(store, texts)
  for (const table of store.tables) Object.assign(state, await tableState(store, table))
  return state
}

/** The rows of a collection, and the elements of its arrays. */
export function tableState(store: TestStore, table: Table): Promise<KeptState> {
  const columns = storedColumns(table).map((column) => `, ${derived(store, table, column)}`)
  const texts: Record<string, string> = {
    [table.name]: `select ${uri('t.base')} || t.rkey as uri, ${kept(store, 't')}${columns.join('')} from "${table.name}" t`,
  }
  for (const { name, kind } of table.arrays) {
    const withShard = isSpread && store.engine === 'postgres' ? ' and t.shard = side.shard' : ''
    const element = kind === 'reference' ? `${uri('side.base')} || side.rkey` : 'side.value'
    texts[name] = `select ${element} as element, ${uri('t.base')} || t.rkey as uri
      from "${name}" side left join "${table.name}" t on t.id = side.id${withShard}`
  }
  return stateOf(store, texts)
}

async function stateOf({ rows }: TestStore, texts: Readonly<Record<string, string>>): Promise<KeptState> {
  const all: [string, readonly Row[]][] = []
  for (const [name, text] of Object.entries(texts)) all.push([name, inOrder(await rows(text))])
  return Object.fromEntries(all)
}

function kept(store: TestStore, of: string): string {
  const cid = store.engine === 'postgres' ? `${of}.cid` : `cid_text(${of}.cid)`
  return `${cid} as cid, ${of}.rev, ${of}.indexed_at, ${of}.changed_at, ${recordText(store, `${of}.record`)} as record`
}

const times = [
  'indexed_at',
  'changed_at',
  'seen_at',
  'requested_at',
  'due_at',
  'latest_at',
  'heard_at',
  'lag',
  'hidden_at',
  'shown_at',
  'purged_at',
]

export function withoutTimes(state: KeptState): KeptState {
  return Object.fromEntries(
    Object.entries(state).map(([name, rows]) => [
      name,
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !times.includes(column))),
      ),
    ]),
  )
}

function uri(base: string): string {
  return `(select uri from base where base.id = ${base})`
}

function derived({ engine }: TestStore, { texts }: Table, column: Table['columns'][number]): string {
  const name = `"${column.name}"`
  if (column.kind === 'refBase') return `${uri(`t.${name}`)} as ${name}`
  // A file has null where the folded text is the text in lower case.
  const text = texts.find(({ folded }) => folded === column)?.text.name
  return text !== undefined && engine === 'sqlite'
    ? `ifnull(t.${name}, lower(t."${text}")) as ${name}`
    : `t.${name}`
}

/** Records without white space, in whichever order the engine found them. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  const plain = rows.map((row) =>
    typeof row.record === 'string' && row.reason === undefined
      ? { ...row, record: JSON.stringify(JSON.parse(row.record)) }
      : { ...row },
  )
  return plain.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
