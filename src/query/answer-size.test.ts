import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { libraryLexicons } from '../../test/support/records/lexicons.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { largestAnswer } from '../database/refusals.ts'

const book = 'orgExampleLibraryBook'
const noteLength = 900_000

onEveryDatabase(
  'an answer over the limit is refused with what to ask less of, others are given',
  async (database) => {
    const records = await Promise.all(
      Array.from({ length: 3 }, (_, n) =>
        buildRecord(`org.example.library.book`, {
          rkey: `b${n}`,
          value: { title: `Book ${n}`, note: 'x'.repeat(noteLength) },
        }),
      ),
    )
    await using service = await openTestService({ lexicons: libraryLexicons, records, database })
    const notes = (times: number): string =>
      `{ ${book} { nodes { ${Array.from({ length: times }, (_, n) => `n${n}: note`).join(' ')} } } }`
    const { data } = await service.query(notes(3))
    assert.equal(JSON.stringify(data).length > largestAnswer - noteLength, true)
    const { errors, data: none } = await service.query(notes(4))
    assert.equal(none, undefined)
    assert.match(
      errors[0].message,
      /^The answer has more than 8388608 bytes, .* smaller pages .*`recordJson`/,
    )
    assert.deepEqual(errors[0].extensions, { limit: largestAnswer, code: 'QUERY_TOO_COMPLEX' })
    assert.equal((await service.data(`{ ${book} { nodes { title } } }`))[book].nodes.length, 3)
  },
)
