import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetEnd, snippetSource, snippetStart } from '../plan/plan.ts'
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

test('a short text behind a long one is not a reason to let others be answered again', () => {
  const [long, short] = ['storm '.repeat(2_000), 'storm'].map((text) => `${start}0:"${text}"${end}`)
  const steps = insertSnippets(Buffer.from(`[${long},${short},${short}]`), [plan])
  assert.equal(Array.from(steps).length, 1)
})

test('a long text is cut between characters', () => {
  const text = `${start}0:"${'x'.repeat(snippetSource - 1)}𠮷"${end}`
  const steps = insertSnippets(Buffer.from(text), [plan])
  steps.next()
  const { value: body } = steps.next()
  assert.ok(body instanceof Uint8Array)
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()), { text: 'x'.repeat(snippetSource - 1) })
})

test('an answer without snippets is not copied', () => {
  const body = Buffer.from('{}')
  assert.equal(insertSnippets(body, []).next().value, body)
})
