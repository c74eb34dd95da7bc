/** What Node can do: `node:http` answering every POST to a path with the same bytes; they come as JSON on standard input, in base64. */
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

const [port] = process.argv.slice(2)
const given = Object.entries((await json(process.stdin)) as Record<string, string>)
const answers = new Map(given.map(([path, text]) => [path, Buffer.from(text, 'base64')]))
const server = createServer((request, response) => {
  const bytes = answers.get(request.url ?? '')
  // The question is read, as one that is answered must be.
  request.resume().on('end', () => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes?.length ?? 0,
    }
    response.writeHead(bytes === undefined ? 404 : 200, headers).end(bytes)
  })
})
server.listen(Number(port), '127.0.0.1', () => console.log('ready'))
