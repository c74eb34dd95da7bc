/** Fastify and Mercurius with its just-in-time compiler on one connection of node:sqlite. */
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'
import mercurius from 'mercurius'
import { makeLoaders, makeResolvers } from './resolvers.ts'

const { DATABASE, PORT } = process.env
if (DATABASE === undefined || PORT === undefined) throw new Error('Write DATABASE=file.db PORT=number.')

const database = new DatabaseSync(DATABASE, { readOnly: true })
database.exec('pragma cache_size = -65536; pragma mmap_size = 1073741824')

const app = fastify()
await app.register(mercurius, {
  schema: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers: makeResolvers(database),
  loaders: makeLoaders(database),
  jit: 1,
})
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
console.log('ready')
