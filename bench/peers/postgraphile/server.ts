/** PostGraphile with its Amber preset, filters through connections and relations, and aggregates; nothing else. */
import { createServer } from 'node:http'

// Its packages check themselves at every step otherwise; they read this when they are loaded.
process.env['NODE_ENV'] ??= 'production'
process.env['GRAPHILE_ENV'] ??= 'production'

const { PgAggregatesPreset } = await import('@graphile/pg-aggregates')
const { grafserv } = await import('postgraphile/grafserv/node')
const { postgraphile } = await import('postgraphile')
const { makePgService } = await import('postgraphile/adaptors/pg')
const { PostGraphileAmberPreset } = await import('postgraphile/presets/amber')
const { PostGraphileConnectionFilterPreset } = await import('postgraphile-plugin-connection-filter')
const { CountsAndMonthsPlugin } = await import('./aggregates.ts')

const { DATABASE, PORT } = process.env
if (DATABASE === undefined || PORT === undefined) throw new Error('Write DATABASE=postgres://… PORT=number.')

const service = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset, PgAggregatesPreset],
  plugins: [CountsAndMonthsPlugin],
  pgServices: [
    makePgService({
      connectionString: DATABASE,
      schemas: ['public'],
      // Months are counted in UTC.
      poolConfig: { max: 10, options: '-c timezone=UTC' },
    }),
  ],
  schema: { connectionFilterRelations: true },
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false, websockets: false },
  grafast: { explain: false },
})

const server = createServer()
await service.createServ(grafserv).addTo(server)
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'))
