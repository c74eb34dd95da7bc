/** How others install the agents' server: the bundle for Claude Desktop, and the entry of the registry. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { after, before, test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server'
import { packBundle } from '../build/mcpb/bundle.ts'
import { loadPacker } from '../build/mcpb/load.ts'
import { unpackPackage } from '../build/unpack.ts'
import { settings, variableOf } from '../src/cli/settings/settings.ts'
import { closeCorpora, corpusNamed } from './golden/corpora.ts'
import { startAgentServer } from './mcp/agent-server.ts'
import { connect, textOf } from './mcp/connect.ts'
import type { Json } from './reference/shapes.ts'
import { anonymousCaller } from './support/server/http-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-bundle-'))
let unpacked = ''
before(async () => {
  // A run of all tests has made it already.
  const program = process.env['TEST_PROGRAM'] ?? (await unpackPackage(join(folder, 'package')))
  unpacked = dirname(dirname(program))
})
after(async () => {
  await closeCorpora()
  rmSync(folder, { recursive: true, force: true })
})

test('the bundle is unpacked, started and asked as Claude Desktop does it', async () => {
  const { service } = await corpusNamed('demo', 'sqlite')
  const keys = new Set<unknown>()
  await using server = await startAgentServer({
    app: {
      engine: service.engine,
      authenticate: (header, network) => {
        keys.add(header)
        return anonymousCaller(header, network)
      },
    },
  })
  const { unpackExtension, validateManifest, getMcpConfigForManifest } = await loadPacker()
  const file = join(folder, 'lexigraph.mcpb')
  const installed = join(folder, 'installed')
  await packBundle(unpacked, file)
  assert.ok(statSync(file).size < 8_000_000, `${statSync(file).size} bytes`)
  assert.equal(await unpackExtension({ mcpbPath: file, outputDir: installed, silent: true }), true)
  assert.equal(validateManifest(join(installed, 'manifest.json')), true)
  for (const name of ['LICENSE', 'dist/THIRD-PARTY-NOTICES.txt'])
    assert.ok(existsSync(join(installed, name)), name)

  const manifest: Json = JSON.parse(readFileSync(join(installed, 'manifest.json'), 'utf8'))
  const configure = (userConfig: Json): Promise<Json> =>
    getMcpConfigForManifest({
      manifest,
      extensionPath: installed,
      systemDirs: {},
      userConfig,
      pathSeparator: sep,
    })
  const endpoint = `${server.url}/api/graphql`
  for (const key of ['', 'lg_key']) {
    const { command, args, env } = await configure({ endpoint, ...(key !== '' && { key }) })
    assert.equal(command, 'node')
    const transport = { command: process.execPath, args, env, cwd: folder, stderr: 'ignore' } as const
    await using client = await connect(new StdioClientTransport(transport))
    keys.clear()
    const { text, isError } = await textOf(client, 'aggregate', { collection: 'article' })
    assert.ok(!isError, text)
    assert.ok(JSON.parse(text).count > 100)
    assert.deepEqual([...keys], [key === '' ? undefined : key])
  }
})

test('server.json keeps to the rules of the registry, and names what the program takes', async () => {
  const entry: Json = JSON.parse(readFileSync(join(unpacked, 'server.json'), 'utf8'))
  const published: Json = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
  const validated = await fromJsonSchema(registryRules as JsonSchemaType)['~standard'].validate(entry)
  assert.equal(validated.issues, undefined, JSON.stringify(validated.issues))
  assert.equal(entry.name, published.mcpName)
  const [found] = entry.packages
  assert.deepEqual(
    [found.identifier, found.version, entry.version],
    [published.name, published.version, published.version],
  )
  const variables = Object.entries(settings).map(([name, setting]) => variableOf(name, setting))
  for (const { name } of found.environmentVariables) assert.ok(variables.includes(name), name)
  const [remote] = entry.remotes
  const named = Array.from(remote.url.matchAll(/\{(\w+)\}/g), ([, name]) => name)
  assert.deepEqual(Object.keys(remote.variables), named)
})

const text = { type: 'string', minLength: 1 }
const input = {
  description: text,
  isRequired: { type: 'boolean' },
  isSecret: { type: 'boolean' },
  default: { type: 'string' },
  format: { enum: ['string', 'number', 'boolean', 'filepath'] },
  value: text,
}
const keyValue = closed({ ...input, name: text }, ['name'])
/** Neither a range nor `latest`. */
const version = { type: 'string', pattern: String.raw`^\d+\.\d+\.\d+(-[\w.-]+)?$`, maxLength: 255 }

/** The rules for `server.json` (schema of 2025-12-11, and the official registry's own) as far as this file needs them. */
const registryRules = closed(
  {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', pattern: String.raw`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`, maxLength: 200 },
    title: { ...text, maxLength: 100 },
    description: { ...text, maxLength: 100 },
    version,
    packages: {
      type: 'array',
      items: closed(
        {
          registryType: { enum: ['npm', 'pypi', 'nuget', 'cargo', 'oci', 'mcpb'] },
          identifier: text,
          version,
          runtimeHint: text,
          transport: closed({ type: { const: 'stdio' } }, ['type']),
          packageArguments: {
            type: 'array',
            items: closed({ type: { const: 'positional' }, value: text }, ['type', 'value']),
          },
          environmentVariables: { type: 'array', items: keyValue },
        },
        ['registryType', 'identifier', 'version', 'transport'],
      ),
    },
    remotes: {
      type: 'array',
      items: closed(
        {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: String.raw`^https?://\S+$` },
          headers: { type: 'array', items: keyValue },
          variables: { type: 'object', additionalProperties: closed(input, []) },
        },
        ['type', 'url'],
      ),
    },
  },
  ['$schema', 'name', 'description', 'version'],
)

function closed(properties: Json, required: readonly string[]): Json {
  return { type: 'object', properties, required, additionalProperties: false }
}
