import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyCodePoint } from '../../test/support/random/values/any-text.ts'
import { withInvisible } from '../../test/support/random/values/scripts.ts'
import {
  holdsWithoutWords,
  mostParentheses,
  mostTerms,
  parseSearch,
  type Search,
  SearchError,
  type SearchTerm,
  wantedTerms,
} from './parse-search.ts'

const fields = ['title', 'image_alt']

/** A search that has this tree, with as few parentheses as possible. */
function print(search: Search): string {
  switch (search.kind) {
    case 'term':
      return printTerm(search)
    case 'not':
      return `-${search.of.kind === 'term' ? print(search.of) : `(${print(search.of)})`}`
    case 'all':
      return search.of.map(printPart).join(' ')
    case 'any':
      return search.of.map((part) => (part.kind === 'any' ? `(${print(part)})` : print(part))).join(' OR ')
  }
}

function printPart(search: Search): string {
  return search.kind === 'term' || search.kind === 'not' ? print(search) : `(${print(search)})`
}

function printTerm({ words, prefix, field }: SearchTerm): string {
  const text = prefix ? `${words.join('-')}*` : words.length === 1 ? words[0] : `"${words.join(' ')}"`
  return `${field === null ? '' : `${field}:`}${text}`
}

function treeOf(text: string): string {
  const search = parseSearch(text, fields)
  return search === null ? '' : print(search)
}

const syntax: readonly (readonly [rule: string, text: string, same: string])[] = [
  ['a blank search asks for nothing', ' \n ', ''],
  ['words are folded', 'STORM Québec', 'storm quebec'],
  ['AND says nothing new', 'a AND b AND', 'a b'],
  ['OR binds last', 'a b OR c d', 'a b OR c d'],
  ['parentheses group', '(a OR b) c', '(a OR b) c'],
  ['parentheses need no spaces', 'x(a OR b)c', 'x (a OR b) c'],
  ['a word in parentheses is a word', '((a)) (b c)', 'a (b c)'],
  ['small letters do not make an operator', 'a or b and not c', 'a or b and not c'],
  ['an operator that is part of a word is none', 'ORB ANDB NOTB OR-b AND+b', 'orb andb notb "or b" "and b"'],
  ['an OR without a neighbour is passed over', 'OR a OR OR b OR', 'a OR b'],
  ['a hyphen before a word excludes it', 'a -b --c', 'a -b -c'],
  ['NOT excludes what follows', 'a NOT b NOT (c OR d)', 'a -b -(c OR d)'],
  ['excluding twice is including', '-(-a)', '-(-a)'],
  ['a hyphen alone is passed over', 'a - b -', 'a b'],
  ['a NOT alone is passed over', 'a NOT', 'a'],
  ['a hyphen inside a word makes a phrase', 'a-b -c-d', '"a b" -"c d"'],
  ['quotation marks make a phrase', '"a B" "c"', '"a b" c'],
  ['curly and low quotation marks too', '“a b” „c d“', '"a b" "c d"'],
  ['operators in a phrase are words', '"a OR -b (c)"', '"a or b c"'],
  ['a phrase ends with the search at the latest', 'a "b c', 'a "b c"'],
  ['a phrase without words is passed over', '"" "?!" a', 'a'],
  ['a word ends at a quotation mark', 'a"b c"d', 'a "b c" d'],
  ['a phrase may be excluded', '-"a b"', '-"a b"'],
  ['a star after a word makes a prefix', 'elect* a-b*', 'elect* a-b*'],
  ['… also before punctuation', 'elect*, (b*!) c*', 'elect* b* c*'],
  ['a star elsewhere separates', 'a*b *c * "d* e"*', '"a b" c "d e"'],
  ['parentheses that are missing are added', '((a OR b', 'a OR b'],
  ['parentheses that are too many are passed over', 'a) b', 'a b'],
  ['what follows them belongs together', 'a) b OR c', 'a (b OR c)'],
  ['parentheses without words are passed over', '() a (OR) -( - )', 'a'],
  ['a name restricts a word to a field', 'title:a b', 'title:a b'],
  ['… a phrase', 'title:"a b"', 'title:"a b"'],
  ['… a prefix', 'image_alt:a*', 'image_alt:a*'],
  [
    '… all in parentheses, unless it has a name of its own',
    'title:(a OR image_alt:b -c)',
    'title:a OR image_alt:b -title:c',
  ],
  ['… also after a space', 'title: a b', 'title:a b'],
  ['a restricted word may be excluded', '-title:a NOT title:b', '-title:a -title:b'],
  [
    '… also behind the name',
    'title:-storm -title:-a title:-(b c)',
    '-title:storm title:a -(title:b title:c)',
  ],
  ['another name is a word', 'update:a Title:b', '"update a" "title b"'],
  ['a name with nothing behind it is a word', 'a title:', 'a title'],
  ['a name with nothing in its parentheses asks for nothing', 'a title:()', 'a'],
  ['an address is a phrase', 'https://a.example/title:b', '"https a example title b"'],
  ['signs are passed over', 'a ?! & b', 'a b'],
  ['words of a text without spaces are a phrase', '北京气候', '"北京 气候"'],
]
for (const [rule, text, same] of syntax) {
  test(rule, () => assert.equal(treeOf(text), same))
}

test('the tree of a search', () => {
  const term = (word: string, more: Partial<SearchTerm> = {}): SearchTerm => ({
    kind: 'term',
    words: [word],
    prefix: false,
    field: null,
    ...more,
  })
  assert.deepEqual(parseSearch('a (b OR "c d") -title:e*', fields), {
    kind: 'all',
    of: [
      term('a'),
      { kind: 'any', of: [term('b'), term('c', { words: ['c', 'd'] })] },
      { kind: 'not', of: term('e', { prefix: true, field: 'title' }) },
    ],
  })
})

test('a search without any word is refused', () => {
  for (const text of ['?!', '""', '-', '(OR)', '👍', '*'])
    assert.throws(() => parseSearch(text, fields), SearchError, text)
})

test('a search of too many words is refused at the first of them that is too many', () => {
  const most = Array.from({ length: mostTerms }, (_, index) => `a${index}`).join(' ')
  assert.equal(treeOf(most), most)
  assert.throws(() => parseSearch(`${most} "b c"`, fields), {
    name: 'SearchError',
    position: most.length + 1,
    message: `A search has at most 64 words and phrases (character ${most.length + 2} of the search)`,
  })
})

test('parentheses that nest too deep are refused', () => {
  assert.equal(treeOf(`${'('.repeat(mostParentheses)}a`), 'a')
  assert.throws(() => parseSearch(`${'('.repeat(mostParentheses + 1)}a`, fields), {
    name: 'SearchError',
    position: mostParentheses,
  })
})

test('wanted are the terms that a matching record may have, not those that are excluded', () => {
  const search = parseSearch('a -b (c OR -d*) -(e -"f g" OR -(-h))', fields)
  assert.ok(search !== null)
  assert.deepEqual(wantedTerms(search).map(printTerm), ['a', 'c', '"f g"'])
})

test('a search may hold for a text without words', () => {
  const holding = ['-a', 'a OR -b', '-(a b)', '-a -b', '-(a -b)']
  const others = ['a', 'a -b', 'a OR b', '-(-a)', '-(a OR -b)']
  const holds = (text: string) => holdsWithoutWords(parseSearch(text, fields) as Search)
  assert.deepEqual([...holding, ...others].filter(holds), holding)
})

const pieces = fc.constantFrom(
  ...'a;b;elect*;"c d";-;--;OR;AND;NOT;(;);";“;title:;image_alt:;nothing:;*;c++;3.5;état;выборы;?!;~;:;OR-'.split(
    ';',
  ),
)
const anySearch = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(pieces, fc.constantFrom('', ' ', ' ')), { maxLength: 20 })
      .map((parts) => parts.flat().join('')),
  },
  {
    weight: 1,
    arbitrary: fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join(' ').slice(0, 1_000)),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCodePoint, maxLength: 500 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'ab-()":* ONRADT\n'), maxLength: 1_000 }) },
)

/** Null also if the search is refused. */
function parsed(text: string): Search | null {
  try {
    return parseSearch(text, fields)
  } catch (error) {
    if (error instanceof SearchError) return null
    throw error
  }
}

test('every input is parsed or refused', () => {
  fc.assert(
    fc.property(anySearch, (text) => {
      const search = parsed(text)
      if (search !== null) assert.ok(termsIn(search).every(({ words }) => words.length > 0))
    }),
    { numRuns: 3_000 },
  )
})

test('invisible characters change no search, and an error names the place in what was written', () => {
  fc.assert(
    fc.property(withInvisible(anySearch), ([plain, other]) => assert.deepEqual(parsed(other), parsed(plain))),
    { numRuns: 1_000 },
  )
  const deep = `\u200b${'(\u2060'.repeat(mostParentheses + 1)}a`
  assert.throws(() => parseSearch(deep, fields), { position: 1 + 2 * mostParentheses })
})

function termsIn(search: Search): readonly SearchTerm[] {
  if (search.kind === 'term') return [search]
  return search.kind === 'not' ? termsIn(search.of) : search.of.flatMap(termsIn)
}

test('the same tree comes from its text', () => {
  fc.assert(
    fc.property(anySearch, (text) => {
      const search = parsed(text)
      // Words of scripts without spaces may be cut in another way when they stand alone.
      fc.pre(
        search !== null && termsIn(search).every(({ words }) => words.every((word) => treeOf(word) === word)),
      )
      assert.deepEqual(parsed(print(search)), search)
    }),
    { numRuns: 3_000 },
  )
})
