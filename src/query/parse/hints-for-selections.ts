/** Hints on fields that are selected of a type that does not have them. */
import type { GraphQLSchema } from 'graphql'
import { getNamedType, isInterfaceType, isObjectType } from 'graphql/type'
import { collectionOf, type Hint } from './hint.ts'

export const selectionHints: readonly Hint[] = [
  [/^Cannot query field "(\w+)" on type "Query"\.$/, (schema, [name = '']) => rootHint(schema, name)],
  [
    /^Cannot query field "(\w+)" on type "(\w+Connection)"/,
    (schema, [name = '', type = '']) => {
      if (hasField(schema, typeOf(schema, type, 'nodes'), name))
        return `Select it of the records: \`nodes { ${name} }\`.`
      if (/^(count|total|size|length)$/i.test(name)) return 'How many records match is `totalCount`.'
      return 'The records of a list are in `nodes`, or in `edges`.'
    },
  ],
  [
    /^Cannot query field "(\w+)" on type "(\w+Edge)"/,
    (schema, [name = '', type = '']) =>
      hasField(schema, typeOf(schema, type, 'node'), name)
        ? `Select it of the record: \`node { ${name} }\`.`
        : null,
  ],
  [
    /^Cannot query field "(\w+)" on type "(\w+)Aggregated"/,
    (schema, [name = '', type = '']) => {
      if (hasField(schema, `${type}AggregateGroup`, name))
        return `Select it of the groups: \`groups { ${name} }\`.`
      if (!['nodes', 'edges', 'pageInfo', 'totalCount'].includes(name)) return null
      const collection = collectionOf(schema, type)
      return collection === undefined ? null : `Records are in the list \`${collection.rootField}\`.`
    },
  ],
  [
    /^Cannot query field "\w+" on type "ComAtprotoRepoStrongRef"/,
    () =>
      'A reference has `uri` and `cid`; read the record itself through `uriResolved` or the `…Resolved` field next to it, with `... on <Type>`.',
  ],
  [
    /^Cannot query field "(\w+)" on type "(Record|Node)"/,
    (schema, [name = '']) =>
      hasField(schema, 'Record', name)
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
]

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
  const [first, ...others] = likely.map(({ rootField }) => `\`${rootField}${suffix}\``)
  const [any] = collections
  if (first === undefined)
    return any === undefined
      ? null
      : `The fields of the query are named after collections, such as \`${any.rootField}\`.`
  return `Did you mean ${[first, ...others.slice(0, 2)].join(' or ')}?`
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
    return role?.kind === 'reverse' && endsInWord(role.collection.rootField, singular) ? [`\`${field}\``] : []
  })
  if (likely.length === 0) return null
  return `Records that refer to this one are in ${likely.slice(0, 3).join(' or ')}.`
}

/** Name of the type of a field. */
function typeOf(schema: GraphQLSchema, typeName: string, field: string): string {
  const type = schema.getType(typeName)
  return isObjectType(type) ? (getNamedType(type.getFields()[field]?.type)?.name ?? '') : ''
}

function hasField(schema: GraphQLSchema, typeName: string, field: string): boolean {
  const type = schema.getType(typeName)
  return (isObjectType(type) || isInterfaceType(type)) && Object.hasOwn(type.getFields(), field)
}
