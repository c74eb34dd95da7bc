import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetEnd, snippetStart } from '../plan/plan.ts'
import { insertSnippets } from './insert-snippets.ts'

const [start, end] = [snippetStart, snippetEnd].map((code) => String.fromCharCode(code))
const plan = { terms: [], words: 1, fields: [{ key: 'text', output: { kind: 'text' as const } }] }

test('an answer with snippets has memory of its own, which can be released', () => {
  const steps = insertSnippets(Buffer.from(`{"snippet":${start}0:"A storm"${end}}`), [plan])
  const { value: body, done } = steps.next()
  assert.ok(done && body instanceof Uint8Array)
  assert.equal(Buffer.from(body).toString(), '{"snippet":{"text":"A"}}')
  assert.equal(body.buffer.byteLength, body.byteLength)
})

test('others may be answered between the snippets of long texts', () => {
  const text = `${start}0:"${'storm '.repeat(2_000)}"${end}`
  const steps = insertSnippets(Buffer.from(`[${text},${text}]`), [plan])
  assert.deepEqual(steps.next(), { value: undefined, done: false })
  assert.deepEqual(steps.next(), { value: undefined, done: false })
  const { value: body, done } = steps.next()
  assert.ok(done && body instanceof Uint8Array)
  assert.equal(Buffer.from(body).toString(), '[{"text":"storm"},{"text":"storm"}]')
})
