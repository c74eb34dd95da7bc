/** The examples of docs/export.md are true: each is asked of the demo corpus. UPDATE_DOCS=1 rewrites the answers. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startServer } from '../support/server/http-server.ts'
import { openDemo, readFences } from '../support/service/pages.ts'

const page = new URL('../../docs/export.md', import.meta.url)
const service = await openDemo()
const server = await startServer({ schema: service.schema, engine: service.engine, exports: service.engine })
after(async () => {
  await server[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

test('the examples of docs/export.md give the files that it shows', async () => {
  const text = readFileSync(page, 'utf8')
  const fences = readFences(text)
  let written = text
  let examples = 0
  for (const [index, fence] of fences.entries()) {
    const answer = fences[index + 1]
    if (fence.info !== 'sh' || !fence.body.startsWith('curl') || answer === undefined) continue
    const response = await server.get(pathOf(fence.body))
    const body = (await response.text()).replaceAll('\r\n', '\n')
    assert.equal(response.status, 200, body)
    examples += 1
    if (process.env.UPDATE_DOCS === '1')
      written = written.replace(
        text.slice(fence.start, answer.end),
        () => `${text.slice(fence.start, answer.bodyStart)}${body}\`\`\``,
      )
    else assert.equal(answer.body, body, fence.body)
  }
  assert.ok(examples > 1)
  if (written !== text) writeFileSync(page, written)
})

/** Path and parameters of a call of curl with `--get`. */
function pathOf(command: string): string {
  const [, path = ''] = /http:\/\/127\.0\.0\.1:4000(\/\S+)/.exec(command) ?? []
  const parameters = new URLSearchParams()
  for (const [, name = '', value = ''] of command.matchAll(/--data-urlencode '(\w+)=([^']*)'/g))
    parameters.append(name, value)
  return `${path}?${parameters}`
}
