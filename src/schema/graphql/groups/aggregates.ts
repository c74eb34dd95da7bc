/** Generates the types of aggregates: groups, measures, and the arguments of aggregate fields. */
import type { GraphQLOutputType } from 'graphql'
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql/type'
import { leafType } from '../../model/leaves.ts'
import type { Collection, FieldType, Model } from '../../model/model.ts'
import { type GroupField, groupFields, isTimePart } from '../../model/operators.ts'
import type { InputTypes } from '../connections.ts'
import { type FieldConfig, type Fields, listOf, nonNull, withResolved } from '../roles.ts'
import { searchArguments } from '../search-types.ts'
import type { TypeRegistry } from '../type-registry.ts'
import { createMeasureTypes, createPairFields } from './measures.ts'
import { defineSignificance, defineUnusualWords, significantInput } from './significance.ts'

/** What the types of aggregates share with the types of records. */
interface RecordTypes {
  outputType(type: FieldType): GraphQLOutputType
  /** The interface of all records. */
  readonly record: GraphQLOutputType
  recordOf(collection: Collection): GraphQLObjectType
}

const shares: Fields = {
  total: {
    type: GraphQLInt,
    description: 'How many records match `denominator`; with `numerator` the `count`. Null without either.',
  },
  matching: {
    type: GraphQLInt,
    description: 'How many records match `where` and `denominator` or `numerator`; null without either.',
  },
  share: {
    type: GraphQLFloat,
    description: '`matching` divided by `total`; null if there are none to divide by.',
  },
}

export function createAggregateTypes(
  registry: TypeRegistry,
  inputs: InputTypes,
  model: Model,
  { outputType, record, recordOf }: RecordTypes,
) {
  const significance = defineSignificance(registry)
  const unusualWords = defineUnusualWords(registry, significance)
  const pairs = createPairFields(registry, model)
  const ending = 'Where this page of groups ends, and whether there are more.'
  const groupsPageInfo = registry.objects('every aggregate')('GroupsPageInfo', ending, {
    hasNextPage: { type: nonNull(GraphQLBoolean) },
    endCursor: { type: GraphQLString, description: 'Null without groups.' },
  })
  const aggregateArguments = createAggregateArguments(registry, inputs)
  const measures = createMeasureTypes(registry, inputs, outputType)
  const keyType = ({ bucket }: GroupField, type: FieldType): GraphQLOutputType => {
    if (bucket !== null && isTimePart(bucket)) return GraphQLInt
    return type.kind === 'strongRef' || type.kind === 'atUri' ? GraphQLString : outputType(type)
  }
  const groupConfigs = (field: GroupField, names: ReadonlySet<string>) => {
    const type = leafType(field.leaf)
    const own: FieldConfig = { type: keyType(field, type), extensions: { role: { kind: 'group', field } } }
    const resolved: FieldConfig = { type: record, extensions: { role: { kind: 'groupResolved', field } } }
    return withResolved(field.name, own, resolved, type, names)
  }
  const aggregate = (collection: Collection): GraphQLObjectType => {
    const fields = groupFields(collection, model)
    const names = new Set(fields.map(({ name }) => name))
    const group: GraphQLObjectType = registry.of(
      GraphQLObjectType,
      collection,
      'AggregateGroup',
      'aggregates',
      () => ({
        description: 'One group: the values it was grouped by, and what its records add up to.',
        fields: () => ({
          ...Object.fromEntries(fields.flatMap((field) => groupConfigs(field, names))),
          count: { type: nonNull(GraphQLInt), description: 'How many records are in the group.' },
          countShare: {
            type: GraphQLFloat,
            description: '`count` divided by that of all records; in `top`, by that of the group around it.',
          },
          ...shares,
          cursor: { type: nonNull(GraphQLString), description: 'Its place in the order, for `after`.' },
          significance: { type: significance, description: 'Null without `significant`.' },
          change: {
            type: GraphQLFloat,
            args: { of: { type: inputs.groupValue(collection), description: 'COUNT when absent.' } },
            description:
              'The difference from the previous period; null for the first, or if one has no value. With one time bucket in `groupBy`; alone, use `fill: true`, since missing buckets are skipped.',
          },
          ...measures(collection),
          ...nestedFields(inputs, collection, group, recordOf(collection), aggregateArguments(collection)),
        }),
      }),
    )
    return registry.of(GraphQLObjectType, collection, 'Aggregated', 'aggregates', () => ({
      fields: {
        count: { type: nonNull(GraphQLInt), description: 'How many records match `where`.' },
        ...shares,
        groupCount: { type: nonNull(GraphQLInt), description: 'How many groups there are in all.' },
        groups: { type: nonNull(listOf(group)) },
        groupsPageInfo: { type: nonNull(groupsPageInfo) },
        ...(collection.searchFields.length > 0 && {
          unusualWords: unusualWordsField(inputs, collection, unusualWords),
        }),
        ...pairs(collection),
        ...measures(collection),
      },
    }))
  }

  return { aggregate, aggregateArguments }
}

function unusualWordsField(
  inputs: InputTypes,
  collection: Collection,
  unusualWords: GraphQLObjectType,
): FieldConfig {
  return {
    type: nonNull(unusualWords),
    args: {
      field: { type: nonNull(inputs.searchField(collection)) },
      against: {
        type: nonNull(inputs.where(collection)),
        description: 'The records to compare with; `{}` means all others.',
      },
      minCount: {
        type: GraphQLInt,
        description: 'Leaves out words of fewer records; 5 when absent.',
      },
      limit: { type: GraphQLInt, description: 'How many words: 1 to 100, 20 when absent.' },
    },
    description: 'The words of a text that are more frequent than among other records.',
  }
}

type AggregateArguments = ReturnType<ReturnType<typeof createAggregateArguments>>

function createAggregateArguments(registry: TypeRegistry, inputs: InputTypes) {
  const weekday = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'Weekday',
    values: Object.fromEntries(weekdays.map((name, value) => [name, { value }])),
  })
  return (collection: Collection) => ({
    where: { type: inputs.where(collection) },
    ...searchArguments(collection),
    denominator: {
      type: inputs.where(collection),
      description: 'The records of which `share` is the part; `{}` means all.',
    },
    numerator: {
      type: inputs.where(collection),
      description: 'Of the records in each group, those that `share` divides by `count`.',
    },
    groupBy: {
      type: listOf(inputs.groupBy(collection)),
      description: 'Up to five fields.',
    },
    timeZone: {
      type: GraphQLString,
      description: 'Where days and hours are those of the groups, such as "Europe/Berlin"; UTC when absent.',
    },
    fill: {
      type: GraphQLBoolean,
      description:
        'Adds groups without records: each time bucket between the bounds in `where`, or each group of `denominator`.',
    },
    weekStart: { type: weekday, description: 'The first day of weeks; MONDAY when absent.' },
    interval: {
      type: GraphQLInt,
      description: 'Groups integers in ranges of this size, each by its lower bound.',
    },
    orderBy: { type: inputs.aggregateOrder, description: 'COUNT_DESC when absent.' },
    rankBy: {
      type: inputs.rankBy(collection),
      description: 'Orders by a measure instead of `orderBy`.',
    },
    having: {
      type: listOf(inputs.having(collection)),
      description: 'Only groups that meet these conditions, at most ten.',
    },
    significant: {
      type: significantInput(registry, collection, inputs.where(collection)),
      description: 'Only groups that are more frequent than among other records, the most unusual first.',
    },
    after: {
      type: GraphQLString,
      description: 'A `cursor` or `endCursor` of these groups in the same order; the page begins behind it.',
    },
    limit: { type: GraphQLInt, description: 'How many groups: 0 to 1000, 50 when absent.' },
  })
}

const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

/** What lies within groups; `top` has some of the arguments of the aggregate for its groups. */
function nestedFields(
  inputs: InputTypes,
  collection: Collection,
  group: GraphQLObjectType,
  record: GraphQLObjectType,
  { orderBy, rankBy, having }: AggregateArguments,
): Fields {
  return {
    top: {
      type: nonNull(listOf(group)),
      args: {
        groupBy: {
          type: nonNull(listOf(inputs.groupBy(collection))),
          description: 'Fields besides those of the groups: together up to five.',
        },
        orderBy,
        rankBy,
        having,
        limit: { type: GraphQLInt, description: 'How many groups in each: 1 to 20, 3 when absent.' },
      },
      description: 'Groups within the group, by further fields.',
    },
    nodes: {
      type: nonNull(listOf(record)),
      args: {
        first: { type: GraphQLInt, description: 'How many records of each group: 1 to 5, 2 when absent.' },
        sortBy: {
          type: listOf(inputs.sortBy(collection)),
          description: 'Up to five fields; `indexedAt DESC` when empty or absent.',
        },
      },
      description: 'The first records of the group in an order.',
    },
  }
}
