/** Configurations of clients on the page that need no program: addresses, keys and links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { assertReaches, fences, hasAddress, page, readConfigurations } from './mcp/configurations.ts'
import type { Json } from './reference/shapes.ts'

for (const { where, given } of await readConfigurations(['json']))
  if (hasAddress(given))
    test(`a client with what ${where} says reaches the service`, () => assertReaches(given))
  else
    test(`what ${where} starts is told the address of the service`, () => {
      const program = [given.command, ...given.args.slice(0, 3)].join(' ')
      assert.match(
        program,
        /^(lexigraph mcp --endpoint http:.*\/api\/graphql|npx -y mcp-remote http:.*\/mcp)$/,
      )
    })

test('each link installs a server that the section has, and no other', async () => {
  const links = Array.from(
    page.matchAll(/\]\(((?:cursor:|vscode:|https:\/\/insiders)[^)]+)\)/g),
    ([, link = '']) => link,
  )
  assert.equal(links.length, 6)
  for (const link of links) {
    const { client, name, config } = readLink(link)
    const block = fences.find(({ info }) => info === `json .${client}/mcp.json`) ?? assert.fail(client)
    const document: Json = JSON.parse(block.body)
    const servers: readonly Json[] = Object.values(document[client === 'cursor' ? 'mcpServers' : 'servers'])
    assert.equal(name, 'lexigraph')
    // A link is for everybody: who has no key would send an empty one, which is refused.
    assert.ok(!('headers' in config), link)
    assert.ok(
      servers.some((one) =>
        isDeepStrictEqual({ ...one, headers: undefined }, { ...config, headers: undefined }),
      ),
      `${link} installs ${JSON.stringify(config)}`,
    )
  }
})

function readLink(link: string): { client: 'cursor' | 'vscode'; name: string; config: Json } {
  const { protocol, searchParams, search } = new URL(link)
  if (protocol === 'https:') return readLink(searchParams.get('url') ?? '')
  if (protocol === 'cursor:') {
    const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString()
    return { client: 'cursor', name: searchParams.get('name') ?? '', config: JSON.parse(config) }
  }
  const { name, ...config } = JSON.parse(decodeURIComponent(search.slice(1)))
  return { client: 'vscode', name, config }
}
