/** Measures, ranges of integers, and conditions on groups that say nothing. */
import { type BadRequest, refused } from './bad-request.ts'

const measured = (fields: string) => `{ techServiceNewsEnrichmentAggregate { ${fields} } }`
const groups = (given: string) => `{ techServiceNewsEnrichmentAggregate(${given}) { groups { count } } }`
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
  ...refused('QUERY_TOO_COMPLEX', [
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
