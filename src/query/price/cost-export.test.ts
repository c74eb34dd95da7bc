import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/support/http-server.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/lexicons.ts'
import { openTestService } from '../../../test/support/service.ts'

test('an export costs its search and a tenth of its rows, and is refused beyond a minute', async () => {
  await using service = await openTestService({ lexicons: libraryLexicons, references: libraryReferences })
  const { engine, opened } = service
  await using server = await startServer({ schema: opened.schema, engine, exports: engine })
  const cost = async (parameters: string): Promise<number> => {
    const response = await server.get(`/export/org.example.library.book.csv?${parameters}`)
    await response.text()
    return Number(response.headers.get('x-cost'))
  }
  // Four fields are 48, the list 20, its total 2,000, its two kinds of output 2, its page and a row 3: a tenth of
  // 999 more rows of 1 + 2 values is 300.
  assert.equal(await cost('fields=title,pages&limit=1000'), 3)
  // With 27 more fields and as many rows the size is above 5,000.
  assert.equal(await cost('limit=1000'), 6)
  assert.equal(await cost('limit=1'), 3)
})
