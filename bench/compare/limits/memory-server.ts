/** The limit: Fastify answering every POST to a path with the same bytes; they come as JSON on standard input, in base64. */
import { json } from 'node:stream/consumers'
import fastify from 'fastify'

const [port] = process.argv.slice(2)
const app = fastify()
for (const [path, text] of Object.entries((await json(process.stdin)) as Record<string, string>)) {
  const bytes = Buffer.from(text, 'base64')
  app.post(path, (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(bytes)
  })
}
await app.listen({ port: Number(port), host: '127.0.0.1' })
console.log('ready')
