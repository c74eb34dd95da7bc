/**
 * Two specifications for the aggregates plugin, of the kind that its documentation tells its users to add: plain
 * counts, where it only has counts of distinct values, and months, where it only has hours and days.
 */
export const CountsAndMonthsPlugin: GraphileConfig.Plugin = {
  name: 'CountsAndMonthsPlugin',
  version: '1.0.0',
  after: ['PgAggregatesSpecsPlugin'],
  schema: {
    hooks: {
      build: {
        after: ['PgAggregatesSpecsPlugin'],
        callback(build) {
          const {
            sql,
            dataplanPg: { TYPES },
          } = build
          build.pgAggregateSpecs.push({
            id: 'count',
            humanLabel: 'count',
            HumanLabel: 'Count',
            isSuitableType: () => true,
            sqlAggregateWrap: (value) => sql`count(${value})`,
            pgTypeCodecModifier: () => TYPES.bigint,
          })
          build.pgAggregateGroupBySpecs.push({
            id: 'truncated-to-month',
            isSuitableType: (codec) => codec === TYPES.timestamptz,
            sqlWrap: (value) => sql`date_trunc('month', ${value})`,
            sqlWrapCodec: (codec) => codec,
          })
          return build
        },
      },
    },
  },
}
