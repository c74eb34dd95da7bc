/** Arguments that look like attacks, or ask much, and that have answers: needles, injections, wide and deep conditions. */
import {
  aggregate,
  any,
  byUri,
  needle,
  filtered,
  list,
  nested,
  newest,
  since,
  where,
} from './article-questions.ts'
import { asked, type Attack, attacks, got, numbers, repeat, type Row } from '../attack.ts'

const injections = [
  "' OR '1'='1",
  "'; drop table record; --",
  "') union select sql from sqlite_master --",
  '" or ""="',
  "\\'; select pg_sleep(10); --",
  "1); attach database '/tmp/x' as y; --",
  '${7*7}{{7*7}}<%= 7*7 %>',
  '../../../../etc/passwd\u0001',
  '?1 :a @b $c',
]
/** Found nowhere. */
const needles: Readonly<Record<string, string>> = {
  'per cent signs': '%'.repeat(1_000),
  'underscores and asterisks': '_*'.repeat(500),
  'one underscore': '_',
  'a regular expression that would explode': '(a+)+(b|b)*$',
  'the full-text language': 'a" OR title:* NEAR("b"',
  'quotes alone': '"'.repeat(1_000),
  '1,000 letters': 'ab'.repeat(500),
  '1,000 different letters': repeat(1_000, (index) => String.fromCodePoint(0x4e00 + index), ''),
  'zero-width joiners': '👨\u200d👩\u200d👧'.repeat(120),
  'a letter that grows when it is folded': '\ufdfa'.repeat(1_000),
  'Hangul in pieces': '\u1100\u1161\u11a8'.repeat(330),
  'letters that become three': 'ŉǰΐΰևẖẗẘẙẚﬃﬄ'.repeat(80),
}
/** Everything that can be asked of a group. */
const measures = `count ${repeat(18, (index) => `m${index}: sum { wordCount } a${index}: avg { wordCount }`)}`

export const answeredAttacks: readonly Attack[] = [
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['an AT-URI of 19,000 characters', byUri(`at://${'x'.repeat(19_000)}`)],
    [
      'lists of lists by edges',
      asked(
        `{ techServiceNewsSource(first: 100) { edges { node { techServiceNewsArticleViaSource(last: 100) { edges { cursor node { uri title } } totalCount } } } } }`,
      ),
    ],
    ...injections.map(
      (text, index): Row => [
        `injection ${index + 1} as a needle and a value`,
        filtered({
          OR: [
            { title: { contains: text } },
            { url: { eq: text } },
            { section: { in: [text] } },
            { tags: { has: text } },
            { rkey: { startsWith: text } },
            { cid: { gt: text, lt: text } },
          ],
        }),
        { says: /"totalCount":0/ },
      ],
    ),
    ...Object.entries(needles).map(
      ([what, text]): Row => [`a needle of ${what}`, needle(text), { says: /"totalCount":0/ }],
    ),
    ['one per cent sign', needle('%')],
    ['a needle of one letter', needle('e')],
    ['an empty needle', needle('')],
    ['a needle of spaces', needle(' '.repeat(1_000))],
    ['a needle of combining marks alone', needle('\u0301'.repeat(1_000))],
    ['a letter with 998 marks', needle(`a${'\u0301\u0308'.repeat(499)}`)],
    ['a needle of right-to-left overrides', needle('\u202e\u2066'.repeat(500))],
    [
      'startsWith of 1,000 per cent signs',
      filtered({ title: { startsWith: '%'.repeat(1_000) } }),
      { says: /"totalCount":0/ },
    ],
    ['70 needles in OR', filtered(any(70, (index) => ({ description: { contains: `e${index}` } })))],
    ['400 conditions in OR', filtered(any(400, (index) => ({ wordCount: { eq: index } })))],
    ['64 levels of NOT', filtered(nested(63))],
    ['a value of 20,000 characters', filtered({ title: { eq: 'x'.repeat(20_000) } })],
    [
      'records that none refers to, of those that none refers to, behind a reference',
      filtered({
        source: {
          techServiceNewsArticleViaSource: {
            none: { techServiceNewsEnrichmentViaArticle: { none: { summary: { contains: 'zzzz' } } } },
          },
        },
      }),
    ],
    ['records without what all have', filtered({ cid: { isNull: true } }), { says: /"totalCount":0/ }],
    ['records with what all have', filtered({ cid: { isNull: false } }), { says: /"totalCount":660/ }],
    ['records without a text', filtered({ description: { isNull: true } })],
    [
      '60 levels of AND and OR',
      asked(where(`${'{AND: [{OR: ['.repeat(30)}{title: {contains: "a"}}${']}]}'.repeat(30)}`)),
    ],
    [
      '14 lists of 1,000 values',
      filtered(any(14, (index) => ({ wordCount: { in: numbers(1_000).map((value) => value + index) } }))),
    ],
    [
      'hasAll of 1,000 texts',
      filtered({ tags: { hasAll: numbers(1_000).map(String) } }),
      { says: /"totalCount":0/ },
    ],
    ['a list in itself', filtered({ AND: [{ AND: [] }, { OR: [{}] }] }), { says: /"totalCount":660/ }],
    ['an AT-URI of another collection', byUri('at://did:plc:a/app.bsky.feed.post/self'), { says: /null/ }],
    ['an AT-URI of a record that is there', ({ uri }) => byUri(uri), { says: /"uri":"at:/ }],
    ['the last moment there is', since('9999-12-31T23:59:59.999999Z'), { says: /"totalCount":0/ }],
    ['an aggregate of 37 measures', asked(aggregate('language, section, articleType', measures))],
    [
      '19 countDistinct',
      asked(
        `{ ${list}Aggregate { ${repeat(19, (index) => `c${index}: countDistinct(field: ${['title', 'url', 'tags'][index % 3]})`)} } }`,
      ),
    ],
    [
      'ten conditions on percentiles of groups by words',
      asked(
        `{ techServiceNewsEnrichmentAggregate(groupBy: [keywords], having: [${repeat(10, (index) => `{measure: PERCENTILE, field: impactLevel, p: ${index / 10}, operator: NE, value: 1e300}`)}]) { groups { keywords count } } }`,
      ),
    ],
    [
      'a filter through everything',
      filtered({
        source: { displayName: { contains: 'a' } },
        authors: { some: { name: { contains: 'a' } } },
        techServiceNewsEnrichmentViaArticle: { some: { summary: { contains: 'a' } } },
      }),
    ],
    [
      'a page at the end of everything',
      ({ cursor }) =>
        asked(
          `query ($x: String) { ${list}(after: $x, first: 100, ${newest}, where: {title: {contains: "zzzz"}}) { nodes { uri } } }`,
          { x: cursor },
        ),
    ],
    ['a question in the URL with SQL', got(`query=%7B__typename%7D&sort=1;drop%20table%20record&id=1%27--`)],
  ]),
]
