/** A file has the same records as the list, for random questions, formats and ways to read it. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ExecutionReport, unlimited } from '../../src/query/execute/execute.ts'
import { fileFormats } from '../../src/files/file-spec.ts'
import { literal, sortLiteral } from '../support/service/graphql-text.ts'
import { anyCollection, type Loaded, points, property } from '../support/random/property.ts'
import { sorts } from '../support/random/questions.ts'
import { wheres } from '../support/random/where.ts'
import { isRefusedOnClusters, isSpread } from '../support/store/postgres.ts'

const exportQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      where: wheres(reference, collection),
      sortBy: sorts(reference, collection),
      first: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 30 })),
      format: fc.constantFrom('ndjson' as const, ...fileFormats),
    }),
  )

const limits = { ...unlimited, points }

property(
  'a file has the records of the list, in its order, and counts them',
  exportQuestions,
  async ({ service, reference }, { collection, where, sortBy, first, format }) => {
    const { rootField } = reference.shapes.get(collection)!
    const list = `list: ${rootField}(first: ${first}, where: ${literal(where)}, sortBy: ${sortLiteral(sortBy)})`
    const query = `{ ${list} { nodes { uri } } }`
    const counted = `{ ${list} { nodes { uri } totalCount } }`
    const answer = await service.engine.execute({ query: counted }, limits)
    if (isSpread && answer.kind === 'errors' && isRefusedOnClusters(answer.errors)) return
    assert.equal(answer.kind, 'data')
    const { list: found } = JSON.parse(Buffer.from(answer.kind === 'data' ? answer.body : []).toString()).data
    const form = { format, bom: false, gzip: false }
    await using file = await service.engine.openFile({ query }, form, limits, new ExecutionReport())
    const text = (await Array.fromAsync(file.bytes)).map((piece) => Buffer.from(piece).toString()).join('')
    assert.equal(file.head.total, found.totalCount)
    assert.equal(file.rows(), found.nodes.length)
    // What is in files of the other formats, tests of these formats read.
    if (format !== 'ndjson') return
    assert.deepEqual(
      text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
      found.nodes,
    )
  },
  15,
)
