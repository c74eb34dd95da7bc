/**
 * Two specifications for the aggregates plugin, of the kind that its documentation tells its users to add: plain
 * counts, where it only has counts of distinct values, and months, where it only has hours and days.
 */
declare global {
  namespace GraphileBuild {
    interface AggregateSpecIds {
      count: true
    }
  }
}

export const CountsAndMonthsPlugin: GraphileConfig.Plugin = {
  name: 'CountsAndMonthsPlugin',
  version: '1.0.0',
  after: ['PgAggregatesSpecsPlugin'],
  schema: {
    hooks: {
      build(build) {
        const { sql, dataplanPg, pgAggregateSpecs, pgAggregateGroupBySpecs } = build
        if (!sql || !dataplanPg || !pgAggregateSpecs || !pgAggregateGroupBySpecs)
          throw new Error('The aggregates plugin must be loaded first.')
        const { TYPES } = dataplanPg
        pgAggregateSpecs.push({
          id: 'count',
          humanLabel: 'count',
          HumanLabel: 'Count',
          isSuitableType: () => true,
          sqlAggregateWrap: (value) => sql`count(${value})`,
          pgTypeCodecModifier: () => TYPES.bigint,
        })
        pgAggregateGroupBySpecs.push({
          id: 'truncated-to-month',
          isSuitableType: (codec) => codec === TYPES.timestamptz,
          sqlWrap: (value) => sql`date_trunc('month', ${value})`,
          sqlWrapCodec: (codec) => codec,
        })
        return build
      },
    },
  },
}
