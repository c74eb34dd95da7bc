import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetEnd, snippetStart, type SnippetPlan, type WordTerm } from '../plan/plan.ts'
import { insertSnippets } from './insert-snippets.ts'

const [start, end] = [snippetStart, snippetEnd].map((code) => String.fromCharCode(code))

/** What a statement returns for the snippet of a text. */
function placeholder(number: number, text: string | null): string {
  return `${start}${number}:${JSON.stringify(text)}${end}`
}

function term(...words: readonly string[]): WordTerm {
  return { kind: 'term', words, prefix: false, fields: null }
}

const text = { key: 'text', output: { kind: 'text' } } as const
const ranges = {
  key: 'ranges',
  output: {
    kind: 'ranges',
    fields: [
      { key: 'start', output: { kind: 'start' } },
      { key: 'end', output: { kind: 'end' } },
    ],
  },
} as const

function plan(
  terms: readonly WordTerm[],
  words: number,
  fields: SnippetPlan['fields'] = [text, ranges],
): SnippetPlan {
  return { terms, words, fields }
}

function inserted(body: string, ...plans: readonly SnippetPlan[]): string {
  return Buffer.from(insertSnippets(Buffer.from(body), plans)).toString()
}

test('a text becomes its snippet, and everything around it stays', () => {
  assert.equal(
    inserted(`{"a":"é","s":${placeholder(0, 'A big storm came')},"b":[]}`, plan([term('storm')], 2)),
    '{"a":"é","s":{"text":"storm came","ranges":[{"start":0,"end":5}]},"b":[]}',
  )
})

test('each of several snippets follows its own plan', () => {
  const body = `[${placeholder(1, 'a b')},${placeholder(0, 'a b')},${placeholder(1, 'c b')}]`
  assert.deepEqual(JSON.parse(inserted(body, plan([term('a')], 9), plan([term('b')], 9, [ranges]))), [
    { ranges: [{ start: 2, end: 3 }] },
    { text: 'a b', ranges: [{ start: 0, end: 1 }] },
    { ranges: [{ start: 2, end: 3 }] },
  ])
})

test('keys are those of the operation, and constants are printed', () => {
  const aliased = plan([term('a')], 9, [
    { key: 'type', output: { kind: 'constant', json: '"Snippet"' } },
    { key: 'é "t"', output: { kind: 'text' } },
    {
      key: 'where',
      output: {
        kind: 'ranges',
        fields: [
          { key: 'to', output: { kind: 'end' } },
          { key: 'of', output: { kind: 'constant', json: '"TextRange"' } },
          { key: 'to2', output: { kind: 'end' } },
        ],
      },
    },
  ])
  assert.deepEqual(JSON.parse(inserted(placeholder(0, 'a'), aliased)), {
    type: 'Snippet',
    'é "t"': 'a',
    where: [{ to: 1, of: 'TextRange', to2: 1 }],
  })
})

test('a missing text has no snippet, an empty one an empty snippet', () => {
  assert.equal(inserted(`[${placeholder(0, null)}]`, plan([term('a')], 9)), '[null]')
  assert.equal(inserted(placeholder(0, ''), plan([term('a')], 9)), '{"text":"","ranges":[]}')
})

test('texts with control characters, quotes and any script are not mistaken', () => {
  const odd = `${start}0:"x"${end} \u0000\u001f\u007f \\ "0:" null 👍 北京 a`
  const parsed = JSON.parse(inserted(placeholder(0, odd), plan([term('a')], 30)))
  assert.equal(parsed.text, odd)
  assert.deepEqual(
    parsed.ranges.map((range: { start: number; end: number }) => odd.slice(range.start, range.end)),
    ['a'],
  )
})

test('a body without snippets stays the same bytes', () => {
  const body = Buffer.from('{"a":1}')
  assert.equal(insertSnippets(body, []), body)
  assert.equal(inserted('{"a":1}', plan([], 1)), '{"a":1}')
})

test('of a very long text the beginning is looked at, without half a character', () => {
  const long = `${'x '.repeat(49_999)}y${'👍'.repeat(9)} storm`
  const parsed = JSON.parse(inserted(placeholder(0, long), plan([term('storm'), term('y')], 3)))
  assert.equal(parsed.text, 'x x y')
  assert.deepEqual(parsed.ranges, [{ start: 4, end: 5 }])
  const only = JSON.parse(inserted(placeholder(0, `y${'👍'.repeat(60_000)}`), plan([term('y')], 3)))
  assert.equal(only.text, `y${'👍'.repeat(49_999)}`)
})
