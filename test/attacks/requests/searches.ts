/** Attacks with searches: deep and wide syntax, the languages of the engines, words that are long, short or none. */
import { list } from './article-questions.ts'
import { asked, type Attack, attacks, repeat } from '../attack.ts'

/** The most that one search can be asked for. */
const question = `query ($x: String!) {
  best: ${list}(search: $x, sortBy: [{field: RELEVANCE}], first: 100) {
    totalCount ranked edges { score snippet(field: description, words: 200) { text ranges { start end } } node { uri } }
    facets(fields: [language, section, tags], limit: 100) { values { value count } missing cut }
    pageInfo { hasNextPage hasPreviousPage endCursor }
  }
  newest: ${list}(search: $x) { nodes { uri } }
  within: ${list}(where: {OR: [{title: {matches: $x}}, {NOT: {description: {matches: $x}}}]}) { totalCount }
  everywhere: search(text: $x) { nodes { uri } didYouMean { word nearest { word count } } }
  words: ${list}Aggregate(search: $x) { count unusualWords(field: title, against: {}) { words { word } } }
}`
/** For searches that have no words, so that there is nothing to rank by. */
const unranked = `query ($x: String!) { ${list}(search: $x) { totalCount nodes { uri } } }`
const search = (x: string): Uint8Array => asked(question, { x })
const letters = (count: number): string =>
  repeat(count, (index) => `${String.fromCharCode(97 + index)}*`, ' OR ')

export const searchAttacks: readonly Attack[] = [
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['a word that every text has', search('the')],
    ['a prefix of one letter', search('a*')],
    ['a prefix of one digit, phrase and exclusion', search('"the a*" OR -1*')],
    ['the query language of FTS5', search('NEAR(one two, 5) OR ^one OR title : one + two')],
    ['column filters of FTS5', search('{f0 f1} : one OR - f0 : two OR f0:"a" *')],
    ['the query language of tsquery', search("one & two | !three <-> four <2> five:*A | 'six'")],
    ['letters of fields and marks of PostgreSQL', search("Aone:1A,2B one~14 'A' \\'one\\' ::tsquery")],
    ['SQL', search('x\'); drop table base; --" OR 1=1')],
    ['quotes that do not end', search('"one "two" three"" "')],
    ['operators alone', asked(unranked, { x: 'OR OR - -- ( ) "" * : title:' }), { says: /"totalCount"/ }],
    ['a word of 1,000 letters', search('a'.repeat(1_000))],
    ['a prefix of 999 marks', search(`a${'\u0301'.repeat(997)}*`)],
    ['signs that turn the direction of writing', search('\u202eone\u202c \u2066two\u2069')],
    ['26 prefixes of one letter', asked(unranked, { x: letters(26) }), { says: /"totalCount"/ }],
    [
      '64 ubiquitous words',
      search(repeat(64, (index) => ['the', 'to', 'of', 'in'][index % 4] ?? '', ' OR ')),
    ],
    ['64 excluded words', search(`the ${repeat(63, (index) => `-w${index}`)}`)],
    ['a phrase of 64 words', search(`"${repeat(64, () => 'the')}"`)],
    ['16 parentheses', search(`${'('.repeat(16)}the${')'.repeat(16)}`)],
    ['16 exclusions of exclusions', asked(unranked, { x: `${'-('.repeat(16)}the${')'.repeat(16)}` })],
    ['200 letters of Chinese', search('新闻'.repeat(100))],
    ['Thai without spaces', search('ข่าวต่างประเทศ'.repeat(30))],
  ]),
  ...attacks({ status: 400, code: 'BAD_USER_INPUT', leaves: 'open' }, [
    ['17 parentheses', search(`${'('.repeat(17)}the${')'.repeat(17)}`), { says: /16 deep/ }],
    ['65 words', search(repeat(65, (index) => `w${index}`)), { says: /64 words/ }],
    ['relevance without words', search('-the')],
    ['NUL between words', search('one\0two \0'), { says: /NUL/ }],
    ['half a surrogate pair', search('one \ud800 two'), { says: /surrogate/ }],
    ['1,000 signs', search('~'.repeat(1_000)), { says: /needs a word/ }],
    ['relevance of 26 words', search(letters(26)), { says: /at most 16 words/ }],
    ['relevance of nothing', search(' ')],
  ]),
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    ['16 prefixes of one letter', search(letters(16)), { says: /The operation costs/ }],
    ['thousands of OR', search(repeat(4_000, (index) => `w${index}`, ' OR ').slice(0, 19_000))],
  ]),
]
