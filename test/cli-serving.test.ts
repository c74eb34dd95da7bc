/** Commands that serve until they are told to stop: what they say, answer and refuse. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startProgram, startService } from './network/service.ts'
import { longTest, someForms } from './support/rounds.ts'
import { exitOf, importCorpus, newest, runApart, shared, start } from './support/server/command-line.ts'

test('serve says what it serves, without a password', async () => {
  const database = await importCorpus('said.db')
  for (const workers of someForms(['2', '1'])) {
    const child = start(['serve', '--port', '0', '--workers', workers, '--database', `sqlite:${database}`])
    let stderr = ''
    for await (const piece of child.stderr) {
      stderr += piece
      if (/answers at http/.test(stderr)) child.kill()
    }
    assert.match(
      stderr,
      /^Database: sqlite:\S+said\.db\nLexicons: \S+lexicons\/?\nCollections and their records: /,
    )
    assert.match(stderr, /tech\.service\.news\.source \(\d+\)/)
    assert.match(stderr, new RegExp(`^Workers: ${workers}\nLexigraph answers at http`, 'm'))
  }
})

test('serve answers until it is told to stop', async () => {
  await using service = await startService(['serve', '--database', await shared()])
  const data = await service.query(newest)
  assert.ok(data.techServiceNewsSource.totalCount > 0)
  const ended = service.stop()
  await service.said(/Stopping/)
  await ended
})

test('a second signal ends at once', async () => {
  await using service = await startService(['serve', '--database', await shared()])
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    'POST /api/graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n',
  )
  await once(socket, 'data')
  void service.kill('SIGINT')
  await service.said(/Stopping/)
  assert.equal(await service.kill('SIGTERM'), 143)
})

test('a port that is taken is named', async () => {
  await using service = await startService(['serve', '--database', await shared()])
  const { port } = new URL(service.url)
  const second = await runApart(['serve', '--port', port, '--database', await shared()])
  assert.deepEqual(
    [second.stderr, second.status],
    [`Port ${port} of 127.0.0.1 is in use; choose another with --port.\n`, 1],
  )
})

test('a port that browsers refuse to open is refused for the demo, and named by serve', async () => {
  const refused =
    'Browsers, Node and other clients refuse to open port 10080, which belongs to another protocol.'
  const demo = await runApart(['demo', '--port', '10080'])
  assert.deepEqual([demo.stderr, demo.status], [`${refused} Choose another with --port, such as 4000.\n`, 1])
  const serve = ['serve', '--port', '10080', '--workers', '1', '--database', await shared()]
  await using service = startProgram(serve)
  await service.said(/answers at/)
  const told = `${refused} Choose another with --port, unless a proxy takes the requests.\n`
  assert.ok(service.stderr().includes(told))
})

test('the demo prints a query, the answer that the service gives, and the address, and logs no requests', async () => {
  const child = start(['demo', '--mcp', '--port', '0'], {
    env: { LEXIGRAPH_REQUEST_LOG: 'all', LEXIGRAPH_SLOW_QUERY: '1' },
  })
  const output = watch(child.stdout)
  const told = text(child.stderr)
  await output.until(/runs until/)
  const [, address] = / are served at (http:\S+)$/m.exec(output.text()) ?? []
  const [, query = '', printed = ''] =
    /such as:\n\n([^]+)\n\nThe answer:\n\n([^]+)\n\nIn a browser, /.exec(output.text()) ?? []
  const response = await fetch(`${address}/api/graphql?query=${encodeURIComponent(query)}`)
  const answer = (await response.json()) as { data: { techServiceNewsArticle: { totalCount: number } } }
  assert.deepEqual(JSON.parse(printed), answer)
  assert.ok(answer.data.techServiceNewsArticle.totalCount > 0)
  assert.ok(output.text().split('\n').length < 40, output.text())
  child.kill('SIGTERM')
  assert.equal(await exitOf(child), 0)
  assert.ok(output.text().includes(`\nAgents connect to ${address}/mcp\n`))
  assert.doesNotMatch(await told, /^\{/m)
})

longTest('the demo offers no pages where they are off', {}, async () => {
  const child = start(['demo', '--port', '0', '--explorer', 'off'])
  const output = watch(child.stdout)
  await output.until(/runs until/)
  child.kill('SIGTERM')
  assert.equal(await exitOf(child), 0)
  assert.match(output.text(), /^Programs ask http:/m)
  assert.doesNotMatch(output.text(), /Open it in a browser|pages are at/)
})

/** What a stream has said so far, and the moment when it says something. */
function watch(stream: NodeJS.ReadableStream) {
  let said = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(said)
      if (found !== null) return found
      const ended = once(stream, 'end').then(() => true)
      const more = once(stream, 'data').then(() => false)
      if (await Promise.race([more, ended])) throw new Error(`Nothing matches ${pattern} in: ${said}`)
    }
  }
  return { text: () => said, until }
}
