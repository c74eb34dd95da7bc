import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadLexicons } from './load.ts'
import { strongRefLexicon } from './strong-ref.ts'
import { readUnchecked } from './unchecked.ts'

const folders = ['../../lexicons', '../../test/schemas/stress/lexicons']

test('lexicons that are whole are the same, checked or not', async () => {
  for (const folder of folders) {
    const dir = fileURLToPath(new URL(folder, import.meta.url))
    const checked = await loadLexicons(dir)
    assert.ok(checked.ok)
    assert.deepEqual(await readUnchecked(dir), checked.lexicons)
  }
})

function recordDoc(id: string, properties: object) {
  return { lexicon: 1, id, defs: { main: { type: 'record', record: { type: 'object', properties } } } }
}

const text = { type: 'string' }
const link = { type: 'ref', ref: strongRefLexicon.id }
const whole: Readonly<Record<string, unknown>> = {
  'a.json': recordDoc('a.b.c', { text, link }),
  'b.json': recordDoc('a.b.d', { to: { type: 'union', refs: ['lex:a.b.c'] } }),
  'strong-ref.json': strongRefLexicon,
  'references.json': { 'a.b.c#link': ['a.b.d', 'a.b.d'] },
}

async function readBoth(files: Readonly<Record<string, unknown>>) {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'lexicons-'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(dir.path, name), typeof content === 'string' ? content : JSON.stringify(content))
  return { checked: await loadLexicons(dir.path), unchecked: await readUnchecked(dir.path) }
}

test('what is written twice, or in another form, comes out the same', async () => {
  const { checked, unchecked } = await readBoth(whole)
  assert.ok(checked.ok)
  assert.deepEqual(unchecked, checked.lexicons)
})

test('nothing that is refused has the fingerprint of what is not', async (t) => {
  const { checked } = await readBoth(whole)
  assert.ok(checked.ok)
  const mistakes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'the same document twice': { 'again.json': whole['a.json'] },
    'another strongRef': { 'strong-ref.json': { ...strongRefLexicon, defs: { main: text } } },
    'no JSON': { 'c.json': '{' },
    'no object': { 'c.json': '[]' },
    'no document': { 'c.json': { refs: [1], type: 'union' } },
    'references that are no names': {
      'c.json': { ...recordDoc('a.b.e', {}), defs: { main: { type: 'union', refs: [1] } } },
    },
    'a type that there is not': { 'b.json': recordDoc('a.b.d', { to: { type: 'thing' } }) },
    'a number that JSON cannot say': {
      'c.json': '{"lexicon":1,"id":"a.b.e","defs":{"main":{"type":"string","maxLength":1e999}}}',
    },
    'a reference to nothing': { 'b.json': recordDoc('a.b.d', { to: { type: 'ref', ref: 'a.b.x' } }) },
    'targets that are a list': { 'references.json': [] },
    'targets that are no list': { 'references.json': { 'a.b.c#link': 'a.b.d' } },
    'targets of nothing': { 'references.json': { 'a.b.c#link': ['a.b.d'], 'a.b.c#other': ['a.b.d'] } },
  }
  for (const [name, files] of Object.entries(mistakes))
    await t.test(name, async () => {
      const read = await readBoth({ ...whole, ...files })
      assert.equal(read.checked.ok, false)
      assert.notEqual(read.unchecked?.fingerprint, checked.lexicons.fingerprint)
    })
})

test('a directory that is not there, or has nothing in it, has no lexicons', async () => {
  assert.equal(await readUnchecked(join(tmpdir(), 'there-is-no-such-folder')), null)
  assert.equal((await readBoth({})).unchecked, null)
})
