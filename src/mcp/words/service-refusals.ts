/**
 * What agents read when the GraphQL service refuses what a tool asked: what happened, in the names of the tools'
 * arguments and with the service's numbers, and what to change about the call.
 */
import type { EndpointFault } from '../../endpoint/endpoint.ts'
import type { ErrorCode } from '../../errors.ts'
import { counted } from '../../util/text/counted.ts'
import { cutPlain } from './plain-text.ts'

/** `said`: the service's sentence in the tools' names; `wait`: when to try again, or an empty text. */
type Words = (said: string, wait: string) => string

const broken: Words = (said) =>
  `The service does not take what this server asked of it (${withoutStop(said)}). That is a fault of this server, not of the arguments; ask in another way.`
const misplaced: Words = (said) =>
  `The address of the service is wrong (${withoutStop(said)}). Tell the person who set up this server.`

export const refusalWords: Readonly<Record<ErrorCode, Words>> = {
  GRAPHQL_PARSE_FAILED: broken,
  GRAPHQL_VALIDATION_FAILED: broken,
  BAD_USER_INPUT: (said) => said,
  INVALID_CURSOR: () =>
    'after is not a cursor of these results: repeat all arguments of the call that gave it, or leave after out.',
  QUERY_TOO_COMPLEX: (said) =>
    `${said} ${/costs \d+ points/.test(said) ? 'Leave out parts, such as share, groups, measures, or fields and filters of other records, or ask in several calls.' : 'Write less in one call, or ask in several.'}`,
  BAD_REQUEST: broken,
  PERSISTED_QUERY_NOT_SUPPORTED: broken,
  NOT_FOUND: misplaced,
  METHOD_NOT_ALLOWED: misplaced,
  REQUEST_TIMEOUT: (said, wait) => `${said}${wait}`,
  PAYLOAD_TOO_LARGE: (said) => `${said} Write shorter texts, or fewer values.`,
  UNAUTHENTICATED: (said) => `${said} Tell the person who set up this server.`,
  UNSUPPORTED_MEDIA_TYPE: broken,
  RATE_LIMITED: (said, wait) => `${said}${wait}`,
  UNAVAILABLE: (said, wait) => `${said}${wait}`,
  TIMEOUT: (said, wait) =>
    `${said} The service may be busy: try again. If that fails too, ask for a shorter time, more filters, fewer groups, or a smaller limit.${wait}`,
  INTERNAL: (said) => `${said} Try once more; if it fails again, ask in another way.`,
}

/** The text for the caller of a tool. Errors without a known code are quoted unchanged. */
export function wordRefusal({ message, code, retryAfter }: EndpointFault): string {
  const wait = retryAfter === null ? '' : ` Try again in ${counted(retryAfter, 'second')}.`
  const words = code !== null && Object.hasOwn(refusalWords, code) ? refusalWords[code as ErrorCode] : null
  const text = cutPlain(message, 500)
  if (words === null) return `${text}${wait}`
  const isWhole = code === 'BAD_USER_INPUT' || code === 'INTERNAL'
  return words(inToolNames(isWhole ? text : firstSentence(text)), wait)
}

/** The sentences after it advise in the terms of GraphQL, except about the value of an argument. */
function firstSentence(text: string): string {
  const [sentence = text] = /^(?:"[^"]*"|`[^`]*`|[^"`])*?[.…](?=\s|$)/s.exec(text) ?? []
  return sentence
}

function withoutStop(said: string): string {
  return said.replace(/\.$/, '')
}

/** Arguments of tools by the names that GraphQL has for them. */
export const toolNames: Readonly<Record<string, string>> = {
  where: 'filters',
  first: 'limit',
  last: 'limit',
  groupBy: 'by',
  sortBy: 'sort',
  orderBy: 'order',
  rankBy: 'order',
  minCount: 'min_count',
  timeZone: 'time_zone',
  denominator: 'share',
  significant: 'unusual',
  nodes: 'samples',
  p: 'measures',
}

/** Names of arguments stand in backticks, alone or with a value, such as `first: 200`. Quoted texts are the caller's. */
function inToolNames(said: string): string {
  return said
    .replaceAll(/"[^"]*"|`(\w+)(?=[:`])/g, (whole, name?: string) =>
      name !== undefined && Object.hasOwn(toolNames, name) ? `\`${toolNames[name]}` : whole,
    )
    .replaceAll(/\bThe (?:operation|document|request|body)\b/g, 'The call')
    .replaceAll(/\bin the (?:document|variables)\b/g, 'in the call')
    .replaceAll(/\binput objects\b/g, 'conditions')
    .replaceAll(/\bSelections\b/g, 'Paths')
    .replaceAll(/\bfollow the cursors\b/g, 'go on with `after`')
}
