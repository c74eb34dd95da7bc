/** What to write instead, for the mistakes that this dialect's users make most; appended to the validator's own words. */
import { GraphQLError } from 'graphql/error'

const hints: readonly (readonly [RegExp, string])[] = [
  [/^Unknown argument "orderBy" on field/, 'Lists are sorted with `sortBy: [{field: …, direction: …}]`.'],
  [
    /of type "\w+WhereInput" not to include unknown field "(and|or|not|And|Or|Not)"/,
    'Conditions are joined with `AND`, `OR` and `NOT`, in upper case.',
  ],
  [/^Enum "\w+" cannot represent non-enum value: "(\w+)"/, 'Enum values are written without quotes.'],
  [
    /^Cannot query field "\w+" on type "ComAtprotoRepoStrongRef"/,
    'A reference has `uri` and `cid`; read the record itself through `uriResolved` or the `…Resolved` field beside it, with `... on <Type>`.',
  ],
  [/^Cannot query field "\w+" on type "Record"/, 'Name the type: `... on <Type> { … }`.'],
  [
    /^Field "\w+" must not have a selection since type "String"/,
    'When it is a reference, read the record through the `…Resolved` field beside it.',
  ],
]

export function withHint(error: GraphQLError): GraphQLError {
  const hint = hints.find(([pattern]) => pattern.test(error.message))?.[1]
  if (hint === undefined) return error
  return new GraphQLError(`${error.message} ${hint}`, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
  })
}
