/** Hints on arguments, conditions, orders and groups. */
import type { GraphQLSchema } from 'graphql'
import { isEnumType, isInputObjectType, isObjectType } from 'graphql/type'
import type { Collection } from '../../schema/model/model.ts'
import { collectionOf, type Hint } from './hint.ts'

const joined = 'Conditions are joined with `AND`, `OR` and `NOT`, in upper case.'
const identity = 'Write `uri`: an id is the URI of its record.'
const searching = /^(search|query|q|text|fullText|keyword|keywords|term|terms)$/i

export const inputHints: readonly Hint[] = [
  [/^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"/, argumentHint],
  [
    /of type "(\w+)WhereInput" not to include unknown field "([^"]{1,100})"/,
    (schema, [type = '', name = '']) => {
      if (/^(and|or)$/i.test(name)) return joined
      const input = schema.getType(`${type}WhereInput`)
      const fields = isInputObjectType(input) ? Object.keys(input.getFields()) : []
      const isArray = type.endsWith('Array')
      if (fields.includes('AND') && !isArray) return conditionHint(schema, type, name, fields)
      return isArray ? arrayHint(name, fields) : operatorHint(name, fields)
    },
  ],
  [
    /of type "(\w+)WhereInput" to be an object/,
    (schema, [type = '']) => {
      const input = schema.getType(`${type}WhereInput`)
      const fields = isInputObjectType(input) ? input.getFields() : {}
      const operator = ['eq', 'has', 'some'].find((name) => Object.hasOwn(fields, name))
      return operator === undefined ? null : `Name an operator, such as \`{${operator}: …}\`.`
    },
  ],
  [
    /of type "\w+SortFieldInput" (?:to be an object, found: (\w+)|not to include unknown field "(\w+)")/,
    (_, [bare, keyed]) => `Write \`{field: ${bare ?? keyed}, direction: ASC}\`.`,
  ],
  [/^Value "id" does not exist in "\w+SortField" enum/, () => identity],
  [
    /^Value "(\w+)" does not exist in "(\w+)" enum\.$/,
    (schema, [name = '', type = '']) => {
      const values = schema.getType(type)
      const names = isEnumType(values) ? values.getValues().map((value) => value.name) : []
      const likely = names.filter((one) => one.endsWith(`_${name}`)).map((one) => `\`${one}\``)
      return likely.length === 0 ? null : `Did you mean ${likely.slice(0, 3).join(' or ')}?`
    },
  ],
  [
    /^Enum "\w+GroupByField" cannot represent non-enum value: \{ field: (\w+)/,
    (_, [name = '']) => `Write the names alone, such as \`groupBy: [${name}]\`.`,
  ],
  [/(Int|Float) cannot represent [\w-]+ value: "-?\d/, () => 'Numbers are written without quotes.'],
  [/^Enum "\w+" cannot represent non-enum value: "(\w+)"/, () => 'Enum values are written without quotes.'],
]

function argumentHint(schema: GraphQLSchema, [name = '', type = '', field = '']: readonly string[]) {
  const parent = schema.getType(type)
  const role = isObjectType(parent) ? parent.getFields()[field]?.extensions.role : undefined
  const isSize = /^(limit|take|top|count|size|pageSize|perPage|max|n)$/i.test(name)
  const isOffset = /^(skip|offset|page|start|from)$/i.test(name)
  const isOrder = /^(orderBy|order|order_by|sort|sort_by|sortBy)$/i.test(name)
  switch (role?.kind) {
    case 'byUri':
      return name === 'id' ? identity : null
    case 'node':
      return name === 'uri' ? 'Write `id`: the id of a record is its URI.' : null
    case 'nodes':
      return /^(id|uris?)$/.test(name) ? 'Write `ids`: the id of a record is its URI.' : null
    case 'connection':
    case 'reverse':
      if (name === 'id' || name === 'uri')
        return `One record is found by \`${role.collection.rootField}ByUri(uri: …)\`.`
      if (isSize) return '`first` says how many records a page has.'
      if (isOffset) return 'There are no offsets: pass the `endCursor` of `pageInfo` as `after`.'
      if (isOrder) return 'Lists are sorted with `sortBy: [{field: …, direction: …}]`.'
      break
    case 'aggregate':
      if (isSize || name === 'first') return '`limit` says how many groups there are.'
      if (isOffset || name === 'after') return 'Groups have no pages: `limit` goes up to 1000.'
      if (isOrder) return 'Groups are ordered with `orderBy: COUNT_DESC` or `rankBy`.'
      break
    case 'system':
    case 'status':
    case 'property':
    case 'resolved':
    case 'group':
    case 'groupResolved':
    case undefined:
      return null
  }
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
  const bare = name.replace(/^[_$]+/, '')
  if (bare !== name && fields.includes(bare))
    return `Operators have no \`_\` or \`$\` before them: write \`${bare}\`.`
  if (/^(not|neq|notEquals?|isNot)$/i.test(bare)) return 'Other values are found with `ne` and `notIn`.'
  if (/^(equals?|is)$/i.test(bare)) return 'Equal values are found with `eq`.'
  if (/^(between|range)$/i.test(bare)) return 'A range is `{gte: …, lt: …}`.'
  const isPattern =
    searching.test(bare) ||
    /^(i?regexp?|matches|match|i?like|icontains|includes|endsWith|ends_with)$/i.test(bare)
  if (!isPattern) return null
  return fields.includes('contains')
    ? 'Text is searched with `contains` and `startsWith`, which ignore case and accents; there are no patterns.'
    : null
}

function arrayHint(name: string, fields: readonly string[]): string | null {
  if (fields.includes('has')) return 'Elements of an array are found with `has`, `hasAny` and `hasAll`.'
  return fields.includes('some') ? `Say which elements: \`some: {${name}: …}\`.` : null
}

function searchHint({ type }: Collection, isArgument: boolean): string {
  const text = type.fields.find((field) => field.type.kind === 'string' && field.type.freeText)
  const condition = `${text?.name ?? '<field>'}: {contains: "…"}`
  return `Text is searched with \`${isArgument ? `where: {${condition}}` : condition}\`, which ignores case and accents.`
}
