import assert from 'node:assert/strict'
import { newUrl } from '../../../../test/support/store/note-stores.ts'
import fc from 'fast-check'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import {
  account,
  apply,
  contentCount,
  note,
  openNotes,
  put,
  remove,
  rev,
  spot,
} from '../../../../test/support/records/notes.ts'
import { seed } from '../../../../test/support/rounds.ts'
import { differingCounts } from '../../verify/verify-counts.ts'
import { vocabularyName } from './vocabulary-ddl.ts'

onUntimedPostgres('a vocabulary follows insertions, updates, deletions and hidden accounts', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  const place = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), did: fc.nat(1) })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ place, content: fc.nat(contentCount - 1) }) },
    { weight: 1, arbitrary: fc.record({ place, content: fc.constant(null) }) },
    { weight: 1, arbitrary: fc.record({ did: fc.nat(1), status: fc.constantFrom(null, 'takendown') }) },
  )
  const [batches = []] = fc.sample(
    fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 15, maxLength: 15 }),
    {
      seed,
      numRuns: 1,
    },
  )
  let [time, most] = [0, 0]
  for (const batch of batches) {
    const changes = batch.map((given) => {
      time += 1
      if ('did' in given) return account(given.did, given.status, time)
      const at = spot(given.place.key, given.place.did)
      return given.content === null
        ? remove(at, rev(time))
        : put(store, at, given.content, { rev: rev(time) })
    })
    await apply(store, ...changes)
    assert.deepEqual(await differingCounts(store.database.read, store.tables), [], `seed ${seed}`)
    const [words] = await store.rows(`select count(*) as n from "${vocabularyName(`${note}/:words`)}"`)
    most = Math.max(most, Number(words?.n))
  }
  assert.ok(most > 0, `seed ${seed}`)
})
