/** Hints on the most common mistakes of callers: what to write instead, appended to the validator's message. */
import type { GraphQLSchema } from 'graphql'
import { GraphQLError } from 'graphql/error'
import type { Hint } from './hint.ts'
import { inputHints } from './hints-for-inputs.ts'
import { selectionHints } from './hints-for-selections.ts'

const hints: readonly Hint[] = [...selectionHints, ...inputHints]

export function withHint(schema: GraphQLSchema, error: GraphQLError): GraphQLError {
  for (const [pattern, advice] of hints) {
    const [found, ...named] = pattern.exec(error.message) ?? []
    if (found === undefined) continue
    const hint = advice(schema, named)
    if (hint !== null) return withAdvice(error, hint)
  }
  return error
}

/**
 * For paths such as `source.displayName`, which other languages allow behind a reference; the parser stops at the dot.
 */
export function withSyntaxHint(error: GraphQLError): GraphQLError {
  const { source, positions } = error
  const at = positions?.[0]
  if (source === undefined || at === undefined || source.body[at] !== '.') return error
  const [before] = /\w{1,100}$/.exec(source.body.slice(Math.max(0, at - 100), at)) ?? []
  const [after] = /^\w{1,100}/.exec(source.body.slice(at + 1, at + 101)) ?? []
  if (before === undefined || after === undefined) return error
  return withAdvice(
    error,
    `Names have no dots: in \`groupBy\` write \`${before}_${after}\`, in \`where\` \`${before}: {${after}: …}\`.`,
  )
}

function withAdvice(error: GraphQLError, advice: string): GraphQLError {
  // The validator suggests names by similar letters, such as `lte` for `like`, so its suggestion is removed.
  const message = /unknown field "|^Unknown argument "/.test(error.message)
    ? error.message.replace(/ Did you mean [^?]*\?/, '')
    : error.message
  return new GraphQLError(`${message}${/[.?!]$/.test(message) ? '' : '.'} ${advice}`, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
  })
}
