/** Hints on the most common mistakes of callers: what to write instead, appended to the validator's message. */
import type { GraphQLSchema } from 'graphql'
import { GraphQLError } from 'graphql/error'
import { getNamedType, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql/type'
import { givenName } from './variable-types.ts'
import type { Collection } from '../../schema/model/model.ts'
import { withoutMiddle } from '../../util/text/messages.ts'

/** A pattern of the validator's message, and what to write instead, given the names that it captures; null for no advice. */
type Hint = readonly [
  pattern: RegExp,
  advice: (schema: GraphQLSchema, named: readonly string[]) => string | null,
]

const joined = 'Conditions are joined with `AND`, `OR` and `NOT`, in upper case.'
const identity = 'Write `uri`: an id is the URI of its record.'
const searching = /^(search|query|q|text|fullText|keyword|keywords|term|terms)$/i

const hints: readonly Hint[] = [
  // Selections.
  [/^Cannot query field "(\w+)" on type "Query"\.$/, (schema, [name = '']) => rootHint(schema, name)],
  [
    /^Cannot query field "(\w+)" on type "(\w+Connection)"/,
    (schema, [name = '', type = '']) => {
      if (fieldOf(schema, typeOf(schema, type, 'nodes'), name) !== undefined)
        return `Select it of the records: \`nodes { ${name} }\`.`
      if (type === 'RecordConnection' && /^(count|total|totalCount|size|length)$/i.test(name))
        return '`search` counts nothing: `totalCount` is in the list of each collection.'
      if (/^(count|total|size|length)$/i.test(name)) return 'How many records match is `totalCount`.'
      if (/^(facet|groups?|buckets?|values|aggregations?|aggs?)$/i.test(name))
        return 'The values of fields, with counts, are in `facets(fields: […])`.'
      return 'The records of a list are in `nodes`, or in `edges`.'
    },
  ],
  [
    /^Cannot query field "(\w+)" on type "(\w+Edge)"/,
    (schema, [name = '', type = '']) =>
      fieldOf(schema, typeOf(schema, type, 'node'), name) !== undefined
        ? `Select it of the record: \`node { ${name} }\`.`
        : null,
  ],
  [
    /^Cannot query field "(\w+)" on type "(\w+)Aggregated"/,
    (schema, [name = '', type = '']) => {
      // Groups have `nodes`, but these are missed in a list more often.
      if (name !== 'nodes' && fieldOf(schema, `${type}AggregateGroup`, name) !== undefined)
        return `Select it of the groups: \`groups { ${name} }\`.`
      if (name === 'pageInfo') return 'Where a page of groups ends is in `groupsPageInfo`.'
      if (!['nodes', 'edges', 'totalCount'].includes(name)) return null
      const collection = collectionOf(schema, type)
      return collection === undefined ? null : `Records are in the list \`${collection.rootField}\`.`
    },
  ],
  [
    /^Cannot query field "(againstCount|againstShare|score)" on type "\w+AggregateGroup"/,
    (_, [name = '']) => `Select it of the significance: \`significance { ${name} }\`.`,
  ],
  [
    /^Cannot query field "\w+" on type "ComAtprotoRepoStrongRef"/,
    () =>
      'A reference has `uri` and `cid`; read the record itself through `uriResolved` or the `…Resolved` field next to it, with `... on <Type>`.',
  ],
  [
    /^Cannot query field "(\w+)" on type "(Record|Node)"/,
    (schema, [name = '']) =>
      fieldOf(schema, 'Record', name) !== undefined
        ? `All records have it: \`... on Record { ${name} }\`.`
        : 'Name the type: `... on <Type> { … }`.',
  ],
  [
    /^Field "(\w+)" of type "\w+Connection!" must have a selection/,
    (_, [name]) => `Select its records, such as \`${name} { nodes { uri } }\`.`,
  ],
  [
    /^Cannot query field "(\w+)" on type "(\w+)"\.$/,
    (schema, [name = '', type = '']) => reverseHint(schema, name, type),
  ],
  [
    /^Field "\w+" must not have a selection since type "String"/,
    () => 'When it is a reference, read the record through the `…Resolved` field next to it.',
  ],
  // Variables.
  [
    /^Variable "(\$\w+)" of type ".+" used in position expecting type "(.+)"\.$/,
    (_, [name = '', type = '']) => `Declare it as \`${name}: ${type}\`.`,
  ],
  // Arguments, conditions, orders and groups.
  [/^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"/, argumentHint],
  [
    /of type "(\w+)WhereInput" not to include unknown field "([^"]{1,100})"/,
    (schema, [type = '', name = '']) => {
      if (/^(and|or)$/i.test(name)) return joined
      const fields = conditionsOf(schema, type)
      const isArray = type.endsWith('Array')
      if (fields.includes('AND') && !isArray) return conditionHint(schema, type, name, fields)
      return isArray ? arrayHint(name, fields) : operatorHint(name, fields)
    },
  ],
  [
    /of type "(\w+)WhereInput" to be an object/,
    (schema, [type = '']) => {
      const operator = ['sameUrl', 'eq', 'has', 'some'].find((name) =>
        conditionsOf(schema, type).includes(name),
      )
      return operator === undefined ? null : `Name an operator, such as \`{${operator}: …}\`.`
    },
  ],
  [
    /of type "\w+SortFieldInput" (?:to be an object, found: (\w+)|not to include unknown field "(\w+)")/,
    (_, [bare, keyed]) => `Write \`{field: ${bare ?? keyed}, direction: ASC}\`.`,
  ],
  [
    /of type "\w+SignificantInput" not to include unknown field "(\w+)"/,
    (_, [name = '']) =>
      name === 'limit'
        ? '`limit` is an argument of the aggregate: `significant: {against: …}, limit: …`.'
        : 'Write `significant: {against: {…}}`, with the conditions of a `where`.',
  ],
  [/^Value "id" does not exist in "\w+SortField" enum/, () => identity],
  [
    /^Value "\w*count" does not exist in "(\w+SortField)" enum/i,
    (schema, [type = '']) => {
      const counts = enumNames(schema, type).filter((one) => one.endsWith('_count'))
      return counts.length === 0 ? null : `Numbers of records that refer are ${listed(counts, ', ')}.`
    },
  ],
  [
    /^Value "(\w+)" does not exist in "(\w+)" enum\.$/,
    (schema, [name = '', type = '']) => {
      const likely = enumNames(schema, type).filter((one) => one.endsWith(`_${name}`))
      return likely.length === 0 ? null : `Did you mean ${listed(likely, ' or ')}?`
    },
  ],
  [
    /^Enum "\w+GroupByField" cannot represent non-enum value: \{ field: (\w+)/,
    (_, [name = '']) => `Write the names alone, such as \`groupBy: [${name}]\`.`,
  ],
  [/(Int|Float) cannot represent [\w-]+ value: "-?\d/, () => 'Numbers are written without quotes.'],
  [/^Enum "\w+" cannot represent non-enum value: "(\w+)"/, () => 'Enum values are written without quotes.'],
]

export function withHint(schema: GraphQLSchema, original: GraphQLError): GraphQLError {
  const named = givenName(original.message)
  const error =
    named === original.message ? original : new GraphQLError(named, { nodes: original.nodes ?? [] })
  const message = withoutMiddle(named)
  for (const [pattern, advice] of hints) {
    const [found, ...parts] = pattern.exec(message) ?? []
    if (found === undefined) continue
    const hint = advice(schema, parts)
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

/** Suggests `techServiceNewsArticle` for `article`, `articles` and `newsArticle`, with any suffix of such a name. */
function rootHint(schema: GraphQLSchema, name: string): string | null {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  const collections = fields.flatMap(({ extensions: { role } }) =>
    role?.kind === 'connection' ? [role.collection] : [],
  )
  const [, bare = name, suffix = ''] = /^(.+?)(Aggregate|ByUri)?$/.exec(name) ?? []
  const likely = collections.filter(({ rootField }) =>
    [bare, bare.replace(/s$/, ''), bare.replace(/ies$/, 'y')].some((word) => endsInWord(rootField, word)),
  )
  const names = likely.map(({ rootField }) => `${rootField}${suffix}`)
  if (names.length > 0) return `Did you mean ${listed(names, ' or ')}?`
  const [any] = collections
  return any === undefined
    ? null
    : `The fields of the query are named after collections, such as \`${any.rootField}\`.`
}

function listed(names: readonly string[], separator: string): string {
  return Array.from(names.slice(0, 3), (name) => `\`${name}\``).join(separator)
}

/** Ignores case, but the word must begin where a word of the name begins. */
function endsInWord(name: string, word: string): boolean {
  const start = name.length - word.length
  if (start <= 0 || word === '') return false
  return name.slice(start).toLowerCase() === word.toLowerCase() && /[A-Z]/.test(name.charAt(start))
}

/** Suggests `techServiceNewsEnrichmentViaArticle` for `enrichments`. */
function reverseHint(schema: GraphQLSchema, name: string, typeName: string): string | null {
  const type = schema.getType(typeName)
  if (!isObjectType(type) || type.extensions.collection === undefined) return null
  const singular = name.replace(/ies$/, 'y').replace(/s$/, '')
  const likely = Object.entries(type.getFields()).flatMap(([field, { extensions }]) => {
    const role = extensions.role
    return role?.kind === 'reverse' && endsInWord(role.collection.rootField, singular) ? [field] : []
  })
  return likely.length === 0 ? null : `Records that refer to this one are in ${listed(likely, ' or ')}.`
}

function enumNames(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name)
  return isEnumType(type) ? type.getValues().map((value) => value.name) : []
}

function typeOf(schema: GraphQLSchema, typeName: string, field: string): string {
  return getNamedType(fieldOf(schema, typeName, field)?.type)?.name ?? ''
}

function fieldOf(schema: GraphQLSchema, typeName: string, field: string) {
  const type = schema.getType(typeName)
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[field] : undefined
}

function argumentHint(schema: GraphQLSchema, [name = '', type = '', field = '']: readonly string[]) {
  const role = fieldOf(schema, type, field)?.extensions.role
  const isSize = /^(limit|take|top|count|size|pageSize|perPage|max|n)$/i.test(name)
  const isOffset = /^(skip|offset|page|start|from)$/i.test(name)
  const isOrder = /^(orderBy|order|order_by|sort|sort_by|sortBy)$/i.test(name)
  if (name === 'minCount' && (role?.kind === 'aggregate' || field === 'top'))
    return 'Write `having: {measure: COUNT, operator: GTE, value: …}`; `significant` has a `minCount` of its own.'
  if (role?.kind === 'byUri') return name === 'id' ? identity : null
  if (role?.kind === 'node') return name === 'uri' ? 'Write `id`: the id of a record is its URI.' : null
  if (role?.kind === 'nodes')
    return /^(id|uris?)$/.test(name) ? 'Write `ids`: the id of a record is its URI.' : null
  if (role?.kind === 'aggregate') {
    if (isSize || name === 'first') return '`limit` says how many groups there are.'
    if (isOffset) return 'There are no offsets: pass the `endCursor` of `groupsPageInfo` as `after`.'
    if (name === 'before' || name === 'last')
      return 'Groups are paged forwards: pass the `endCursor` of `groupsPageInfo` as `after`.'
    if (isOrder) return 'Groups are ordered with `orderBy: COUNT_DESC` or `rankBy`.'
  } else if (role?.kind === 'connection' || role?.kind === 'reverse') {
    if (name === 'id' || name === 'uri')
      return `One record is found by \`${role.collection.rootField}ByUri(uri: …)\`.`
    if (isSize) return '`first` says how many records a page has.'
    if (isOffset) return 'There are no offsets: pass the `endCursor` of `pageInfo` as `after`.'
    if (isOrder) return 'Lists are sorted with `sortBy: [{field: …, direction: …}]`.'
    if (/^(distinct|distinctBy|unique|uniqueBy|collapse|dedupe|groupBy)$/i.test(name))
      return 'The first record of each value is found with `distinctOn: [<field>]`; counts of values are in the aggregate.'
  } else if (role?.kind === 'search') {
    if (searching.test(name)) return 'Write `text`: the words to find.'
    if (isSize || name === 'last') return '`first` says how many records a page has.'
    if (isOffset || name === 'before')
      return 'Pages go forwards: pass the `endCursor` of `pageInfo` as `after`.'
    return '`search` takes words alone: `where` and `sortBy` are arguments of the list of a collection.'
  } else return null
  if (searching.test(name)) return searchHint(role.collection, true)
  return /^(filter|filters|filterBy|condition|conditions|match)$/i.test(name)
    ? 'Conditions are in `where`.'
    : null
}

/** For unknown fields in the conditions on a record or an object. */
function conditionHint(schema: GraphQLSchema, type: string, name: string, fields: readonly string[]) {
  if (/^not$/i.test(name)) return joined
  if (name === 'id') return identity
  const collection = collectionOf(schema, type)
  if (searching.test(name) && collection !== undefined) return searchHint(collection, false)
  const [, field = '', operator = ''] = /^(\w+)_([a-zA-Z]+)$/.exec(name) ?? []
  return fields.includes(field) ? `Write \`${field}: {${operator}: …}\`.` : null
}

function operatorHint(name: string, fields: readonly string[]): string | null {
  if (fields.includes('none')) return referringHint(name)
  const bare = name.replace(/^[_$]+/, '')
  if (bare !== name && fields.includes(bare))
    return `Operators have no \`_\` or \`$\` before them: write \`${bare}\`.`
  if (/^(not|neq|notEquals?|isNot)$/i.test(bare)) return 'Other values are found with `ne` and `notIn`.'
  if (/^(equals?|is)$/i.test(bare)) return 'Equal values are found with `eq`.'
  if (/^(between|range)$/i.test(bare)) return 'A range is `{gte: …, lt: …}`.'
  const isPattern =
    searching.test(bare) || /^(i?regexp?|match|i?like|icontains|includes|endsWith|ends_with)$/i.test(bare)
  if (fields.includes('sameUrl') && (isPattern || /^(url|uri|link|address|same)$/i.test(bare)))
    return 'A web address is found with `sameUrl` however it was copied, and parts of it with `contains` and `startsWith`.'
  if (bare === 'sameUrl')
    return 'Only fields of format `uri` have `sameUrl`; equal values are found with `eq`.'
  if (bare === 'matches' && fields.includes('contains'))
    return '`matches` finds words of free text at the top level or in objects. Use `contains` for other texts.'
  if (!isPattern || !fields.includes('startsWith')) return null
  const words = fields.includes('matches') ? ', and words with `matches`' : ''
  return `Text is searched with \`contains\` and \`startsWith\`, which ignore case and accents${words}; there are no patterns.`
}

/** For unknown members of the conditions on records that refer. */
function referringHint(name: string): string {
  if (/^(every|all)$/i.test(name))
    return 'Every one meets a condition if not one fails it: `none: {NOT: {…}}`.'
  if (/^(eq|ne|in|notIn|gte?|lte?)$/.test(name)) return `Their number is \`count: {${name}: …}\`.`
  if (/^(size|length|total|totalCount|number|n)$/i.test(name)) return 'Their number is `count: {gte: …}`.'
  return `Say of which records: \`some: {${name}: …}\`, or \`none\`.`
}

function arrayHint(name: string, fields: readonly string[]): string | null {
  const ofTexts = fields.includes('contains') ? ', and by a part of their text with `contains`' : ''
  if (fields.includes('has'))
    return `Elements of an array are found with \`has\`, \`hasAny\` and \`hasAll\`${ofTexts}.`
  return fields.includes('some') ? `Say which elements: \`some: {${name}: …}\`.` : null
}

function searchHint({ searchFields }: Collection, isArgument: boolean): string {
  const [text] = searchFields
  if (text !== undefined && isArgument) return 'Words are searched with `search: "…"`.'
  const condition = `${text?.name ?? '<field>'}: {contains: "…"}`
  return `Text is searched with \`${isArgument ? `where: {${condition}}` : condition}\`, which ignores case and accents${text === undefined ? '' : '; words with the argument `search` of the list'}.`
}

function collectionOf(schema: GraphQLSchema, typeName: string): Collection | undefined {
  const type = schema.getType(typeName)
  return isObjectType(type) ? type.extensions.collection : undefined
}

/** Names of the fields of an input type such as `StringWhereInput`. */
function conditionsOf(schema: GraphQLSchema, type: string): readonly string[] {
  const input = schema.getType(`${type}WhereInput`)
  return isInputObjectType(input) ? Object.keys(input.getFields()) : []
}
