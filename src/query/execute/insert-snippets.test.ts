import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetEnd, snippetStart } from '../plan/plan.ts'
import { insertSnippets } from './insert-snippets.ts'

test('an answer with snippets has memory of its own, which can be released', () => {
  const [start, end] = [snippetStart, snippetEnd].map((code) => String.fromCharCode(code))
  const text = `{"snippet":${start}0:"A storm"${end}}`
  const body = insertSnippets(Buffer.from(text), [
    { terms: [], words: 1, fields: [{ key: 'text', output: { kind: 'text' } }] },
  ])
  assert.equal(Buffer.from(body).toString(), '{"snippet":{"text":"A"}}')
  assert.equal(body.buffer.byteLength, body.byteLength)
})
