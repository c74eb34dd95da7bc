import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../../../test/support/store/postgres.ts'
import {
  laterReviewLines,
  reviewLexicons,
  reviewLines,
  reviewReferences,
} from '../../../test/support/records/reviews.ts'
import { emptyDatabases, openTestStore, tamperWith } from '../../../test/support/store/store.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { ownSums } from '../layout/sums.ts'
import { differingCounts } from './verify-counts.ts'

const emptyUrl = emptyDatabases()
const { tables } = understand(reviewLexicons, reviewReferences)
const names = [
  ...tables.flatMap(({ counts }) => counts.map(({ name }) => name)),
  ...tables.flatMap((table) => ownSums(table).map(({ name }) => name)),
]

for (const engine of databases)
  test(`counts and sums that are not those of the records are found, each by its name (${engine})`, async () => {
    const path = await emptyUrl(engine)
    await using store = await openTestStore({
      path,
      lexicons: reviewLexicons,
      references: reviewReferences,
    })
    await store.load(reviewLines)
    await store.apply(...laterReviewLines)
    const { read } = store.database
    assert.deepEqual(await differingCounts(read, tables), [])
    const damaged: string[] = []
    for (const name of names) {
      const [column] = await store.rows(`select * from "${name}" limit 1`)
      if (column === undefined) continue
      damaged.push(name)
      const last = Object.keys(column).at(-1)
      await tamperWith(path, `update "${name}" set ${last} = ${last} + 1`)
      assert.deepEqual(await differingCounts(read, tables), [{ name, error: null }])
      await tamperWith(path, `update "${name}" set ${last} = ${last} - 1`)
    }
    assert.ok(damaged.length > 4, damaged.join())
    const [total] = damaged
    await tamperWith(path, `delete from "${total}"`)
    assert.deepEqual(await differingCounts(read, tables), [{ name: total, error: null }])
  })
