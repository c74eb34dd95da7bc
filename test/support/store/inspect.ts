/** Whether a database file holds together: its pages, all that is derived from its records, and its answers. */
import assert from 'node:assert/strict'
import { parseConfig } from '../../../src/cli/settings/config.ts'
import { type ProjectContext, lexiconDir, loadProject, openStore } from '../../../src/cli/store/project.ts'
import { openService } from '../../../src/cli/service/service.ts'
import type { Change, ReadDatabase } from '../../../src/database/database.ts'
import { deriveRow } from '../../../src/database/derive.ts'
import type { Table } from '../../../src/database/layout/tables.ts'
import { exportLines } from '../../../src/ingest/export.ts'
import { createLineReader } from '../../../src/lexicon/records/validate.ts'
import { assertCounts } from './counts.ts'
import { createReference, type ListArguments } from '../../reference/reference.ts'
import type { Json, References } from '../../reference/shapes.ts'
import { parseInstant } from '../../reference/values.ts'
import type { PlainRecord } from '../../reference/dataset.ts'

export interface Question {
  readonly collection: string
  readonly where: NonNullable<ListArguments['where']>
}

const root = new URL('../../../', import.meta.url)

/** The file's records; fails when something in it does not agree with them. It is of the package's lexicons. */
export async function inspectStore(
  path: string,
  references: References,
  questions: readonly Question[],
): Promise<readonly PlainRecord[]> {
  const { config } = parseConfig('query', ['--database', path], {})
  await using service = await openService(config, root)
  const { read, write } = service.database
  // Rows of accounts that have just vanished or come back may still be where they were.
  while ((await write.metadata.settleAccounts(1_000)) > 0);
  assert.deepEqual(await rowsOf(read, 'pragma integrity_check'), [{ integrity_check: 'ok' }])

  await assertCounts(read, service.tables)

  const lines: string[] = []
  for await (const line of exportLines(read, service.tables)) lines.push(line)
  const records = lines.map((line) => plainRecord(JSON.parse(line)))
  await assertDerived(service, lines)

  const documents = service.lexicons.documents as readonly Json[]
  const reference = createReference(documents, references, records)
  for (const { collection, where } of questions) {
    const { rootField, typeName } = reference.shapes.get(collection)!
    const query = `query ($where: ${typeName}WhereInput) {
      list: ${rootField}(where: $where, first: 100) { totalCount nodes { uri cid recordJson } } }`
    const answer = await service.engine.execute({ query, variables: { where } })
    assert.ok(answer.kind === 'data', JSON.stringify(answer))
    const expected = reference.sorted(collection, { where })
    assert.deepEqual(
      JSON.parse(Buffer.from(answer.body).toString()).data.list,
      {
        totalCount: expected.length,
        nodes: expected.slice(0, 100).map(({ uri, cid, value }) => ({ uri, cid, recordJson: value })),
      },
      JSON.stringify({ collection, where }),
    )
  }
  return records
}

/** What is kept beside the records is what a new file gets that they are imported into. */
async function assertDerived(
  { database, tables, lexicons }: ProjectContext & { readonly database: { readonly read: ReadDatabase } },
  lines: readonly string[],
): Promise<void> {
  const { config } = parseConfig('import', ['--database', ':memory:', 'none'], {})
  await using fresh = await openStore(config, await loadProject(lexiconDir(config, root)))
  const readLine = createLineReader(lexicons)
  const changes = lines.map((line): Change => {
    const reading = readLine(line)
    assert.ok(reading.ok, line)
    const table = tables.find(({ collection }) => collection.nsid === reading.record.collection)!
    return { kind: 'put', ...reading.record, ...deriveRow(table, reading.record.value) }
  })
  await fresh.write.load(
    (async function* () {
      yield changes
    })(),
  )
  for (const table of tables)
    for (const statement of derivedParts(table))
      assert.deepEqual(await rowsOf(database.read, statement), await rowsOf(fresh.read, statement), statement)
}

/** Statements that yield the same whatever ids the rows have. */
function derivedParts(table: Table): readonly string[] {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
  const uri = (base: string): string => `(select uri from base where base.id = ${base})`
  const columns = table.columns.map(({ name, kind }) =>
    kind === 'refBase' ? `${uri(quoted(name))} as ${quoted(name)}` : quoted(name),
  )
  const rows = `select ${uri('base')} || rkey as uri, cid, rev, indexed_at, ${columns.join(', ')}
    from ${quoted(table.name)} order by 1`
  const sides = table.arrays.map(({ name, kind }) => {
    const element = kind === 'reference' ? `${uri('side.base')} || side.rkey` : 'side.value'
    return `select ${element} as element, ${uri('t.base')} || t.rkey as uri from ${quoted(name)} side
      left join ${quoted(table.name)} t on t.id = side.id order by 1, 2`
  })
  const texts = table.texts.map(({ name }) => `select term, doc from ${quoted(`${name}/terms`)} order by 1`)
  return [rows, ...sides, ...texts]
}

function rowsOf(database: ReadDatabase, text: string): Promise<readonly object[]> {
  return Array.fromAsync(database.readRows({ text, values: [] }), (row) => ({ ...row }))
}

function plainRecord({ uri, cid, rev, indexedAt, value }: Json): PlainRecord {
  const [, , did, collection, rkey] = String(uri).split('/') as [string, string, string, string, string]
  const instant = parseInstant(indexedAt)
  return { uri, cid, rev, did, collection, rkey, indexedAt: instant, changedAt: instant, value }
}
