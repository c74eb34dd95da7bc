/** Whether a database file holds together: its pages, all that is derived from its records, and its answers. */
import assert from 'node:assert/strict'
import { parseConfig } from '../../../src/cli/settings/config.ts'
import { openService } from '../../../src/cli/service/service.ts'
import { findDamage } from '../../../src/database/verify/find-damage.ts'
import { exportLines } from '../../../src/cli/commands/records/export.ts'
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
  while (await write.metadata.deriveStories(1_000));
  const checks = read.readRows({ text: 'pragma integrity_check', values: [] })
  assert.deepEqual(await Array.fromAsync(checks, (row) => ({ ...row })), [{ integrity_check: 'ok' }])
  assert.deepEqual(await findDamage(read, service.tables), [])

  const records = await Array.fromAsync(exportLines(read, service.tables), (line) =>
    plainRecord(JSON.parse(line)),
  )
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

function plainRecord({ uri, cid, rev, indexedAt, value }: Json): PlainRecord {
  const [, , did, collection, rkey] = String(uri).split('/') as [string, string, string, string, string]
  const instant = parseInstant(indexedAt)
  return { uri, cid, rev, did, collection, rkey, indexedAt: instant, changedAt: instant, value }
}
