/**
 * What a statement costs where it is asked over HTTP: `node:http` running the statement of each path, nothing else. In a
 * loop of its own a statement finds all it needs in the processor's caches; behind a socket it does not. The documents
 * come as JSON by path on standard input.
 */
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { openBare } from './bare-statements.ts'

const [port, database = ''] = process.argv.slice(2)
const given = Object.entries((await json(process.stdin)) as Record<string, string>)
const bare = await openBare(database)
const statements = new Map(
  await Promise.all(given.map(async ([path, query]) => [path, await bare.prepare(query)] as const)),
)
const server = createServer((request, response) => {
  const statement = statements.get(request.url ?? '')
  // The question is read, as one that is answered must be.
  request.resume().on('end', async () => {
    const bytes = (await statement?.())?.body
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes?.length ?? 0,
    }
    response.writeHead(bytes === undefined ? 404 : 200, headers).end(bytes)
  })
})
server.listen(Number(port), '127.0.0.1', () => console.log('ready'))
