/** Measures, ranges of integers, and conditions on groups that say nothing. */
import { type BadRequest, refused } from './bad-request.ts'

const measured = (fields: string) => `{ techServiceNewsEnrichmentAggregate { ${fields} } }`
const groups = (given: string) => `{ techServiceNewsEnrichmentAggregate(${given}) { groups { count } } }`
const having = (condition: string) => groups(`groupBy: [sentiment], having: [{${condition}}]`)
const percentile = (p: string) => measured(`percentile(field: impactLevel, p: ${p})`)

export const badMeasures: readonly BadRequest[] = [
  ...refused('BAD_USER_INPUT', [
    ['a percentile above 1', percentile('[0.5, 95]'), /`p: 95` is no percentile\. Write numbers from 0 to 1/],
    ['a percentile below 0', percentile('[-0.1]'), /`p: -0\.1` is no percentile/],
    ['a percentile of seven decimals', percentile('[0.1234567]'), /with at most six decimals/],
    ['no percentile', percentile('[]'), /`p` is empty\. Write numbers from 0 to 1/],
    [
      'ranges of size 0',
      groups('groupBy: [impactLevel], interval: 0'),
      /`interval: 0` makes no ranges\. Write 1/,
    ],
    ['ranges of a negative size', groups('groupBy: [impactLevel], interval: -5'), /Write 1 or more, such as/],
    [
      'ranges of texts',
      groups('groupBy: [sentiment, keywords], interval: 5'),
      /`interval` makes ranges of integers, and `groupBy` names none\. Name an integer/,
    ],
    ['ranges of nothing', groups('interval: 5'), /Name an integer field in `groupBy`/],
  ]),
  ...refused('BAD_USER_INPUT', [
    [
      'having with the mean of a text',
      having('measure: AVG, field: sentiment, operator: GT, value: 1'),
      /`having` cannot take that measure of sentiment: name an integer/,
    ],
    [
      'having with the median of a datetime',
      having('measure: MEDIAN, field: createdAt, operator: GT, value: 1'),
      /name an integer field/,
    ],
    [
      'having with the largest of a bucket',
      having('measure: MAX, field: createdAt_day, operator: GT, value: 1'),
      /an integer or datetime field/,
    ],
    [
      'having with a duration of one time',
      having('measure: AVG_DURATION, from: createdAt, operator: GT, value: 1'),
      /AVG_DURATION takes two times, `from` and `to`, alone/,
    ],
    [
      'having with a time of a mean',
      having('measure: AVG, field: impactLevel, from: createdAt, operator: GT, value: 1'),
      /`from` and `to` in `having` are for durations\. Leave them out/,
    ],
    [
      'having without a field',
      having('measure: SUM, operator: GT, value: 1'),
      /measure without a field\. Add `field`, or write COUNT/,
    ],
    [
      'having with a field of a count',
      having('measure: COUNT, field: model, operator: GT, value: 1'),
      /COUNT has no field: leave `field: model` out, or count its values with COUNT_DISTINCT/,
    ],
    [
      'having with a share of nothing',
      having('measure: SHARE, operator: GT, value: 0.5'),
      /SHARE needs a `denominator`: add .* `denominator: \{\}` for all/,
    ],
    [
      'rankBy with a share of nothing',
      groups('groupBy: [sentiment], rankBy: {measure: SHARE}'),
      /`rankBy` by SHARE needs a `denominator`/,
    ],
    [
      'having with a percentile without p',
      having('measure: PERCENTILE, field: impactLevel, operator: GT, value: 1'),
      /PERCENTILE needs `p`: add a number from 0 to 1/,
    ],
    [
      'rankBy with a percentile above 1',
      groups('groupBy: [sentiment], rankBy: {measure: PERCENTILE, field: impactLevel, p: 90}'),
      /`p: 90` is no percentile/,
    ],
    [
      'having with p of a mean',
      having('measure: AVG, field: impactLevel, p: 0.5, operator: GT, value: 1'),
      /`p` in `having` is for PERCENTILE\. Leave it out/,
    ],
    [
      'having with text for a number',
      having('measure: SUM, field: impactLevel, operator: GT, value: "5"'),
      /`value: "5"` in `having` is text: write a number/,
    ],
    [
      'having with a number for a moment',
      having('measure: MAX, field: createdAt, operator: GT, value: 5'),
      /`value: 5` in `having` is no moment, as createdAt is\. Write RFC 3339/,
    ],
    [
      'having with no moment',
      having('measure: MAX, field: createdAt, operator: GT, value: "soon"'),
      /"soon.* is no moment/,
    ],
    [
      'having without groups',
      groups('having: [{measure: COUNT, operator: GT, value: 1}]'),
      /`having` leaves out groups, and there are none: name fields in `groupBy`/,
    ],
  ]),
  ...refused('GRAPHQL_VALIDATION_FAILED', [
    [
      'having with a boolean',
      having('measure: COUNT, operator: GT, value: true'),
      /MeasureValue wants a number/,
    ],
    [
      'having with more than any number',
      having('measure: COUNT, operator: GT, value: 1e999'),
      /MeasureValue wants a number/,
    ],
    ['having without a value', having('measure: COUNT, operator: GT'), /value/],
  ]),
  ...refused('QUERY_TOO_COMPLEX', [
    [
      'eleven conditions on groups',
      groups(`groupBy: [sentiment], having: [${'{measure: COUNT, operator: GT, value: 1} '.repeat(11)}]`),
      /`having` has too many conditions: 11, and the limit is 10/,
    ],
    [
      'eleven percentiles',
      percentile(`[${Array.from({ length: 11 }, (_, n) => n / 10).join(', ')}]`),
      /`p` has too many values: 11, and the limit is 10/,
    ],
  ]),
  ...refused('GRAPHQL_VALIDATION_FAILED', [
    ['a percentile of a text', measured('percentile(field: sentiment, p: [0.5])'), /sentiment/],
    ['the median of a datetime', measured('median { createdAt }'), /createdAt/],
  ]),
]
