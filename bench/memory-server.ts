/** The limit: Fastify answering every POST with the same bytes, given on standard input. */
import { buffer } from 'node:stream/consumers'
import fastify from 'fastify'

const [port] = process.argv.slice(2)
const bytes = await buffer(process.stdin)
const app = fastify()
app.post('/api/graphql', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(bytes)
})
await app.listen({ port: Number(port), host: '127.0.0.1' })
console.log('ready')
