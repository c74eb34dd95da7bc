/** What `get_record` says of the version of a record. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora, corpusNamed, stressLexicons } from '../../../test/golden/corpora.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'

after(closeCorpora)

test('a cited record has its CID, and its revision if that is known', async () => {
  const { service, reference } = await corpusNamed('stress', 'sqlite')
  const model = modelOf(stressLexicons.documents, stressLexicons.references)
  const agent = createAgent(model, engineEndpoint(service.engine))
  const nodes = reference.records.filter(({ collection }) => collection === 'example.stress.node')
  assert.equal(nodes.filter(({ rev }) => rev !== undefined).length, 1)
  for (const { uri, cid, rev } of nodes) {
    const cited = await agent.call('get_record', { uri, cite: true })
    assert.deepEqual([cited.cid, cited.rev], [cid, rev])
    const plain = await agent.call('get_record', { uri })
    assert.ok(!('cid' in plain) && !('rev' in plain))
  }
})

test('records are filtered by revision, and lists show it', async () => {
  const { service } = await corpusNamed('stress', 'sqlite')
  const model = modelOf(stressLexicons.documents, stressLexicons.references)
  const agent = createAgent(model, engineEndpoint(service.engine))
  const args = { collection: 'example.stress.node', fields: ['rev'] }
  const rev = '3mz5s6rqspk2a'
  const { total, records } = await agent.call('search_records', { ...args, filters: { rev } })
  assert.deepEqual([total, records.map((record: { rev: string }) => record.rev)], [1, [rev]])
  const { total: others } = await agent.call('search_records', { ...args, filters: { rev: null } })
  assert.equal(others, 4)
})
