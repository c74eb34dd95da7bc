/**
 * Packs the published package as a bundle for Claude Desktop: dist/lexigraph-VERSION.mcpb, with the program and without
 * pages, which agents do not need. The format is in the manual of `@anthropic-ai/mcpb`, which packs and validates it.
 * Usage: npm run mcpb
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadPacker } from './load.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Of the package. */
const copied = ['bin', 'dist', 'lexicons', 'LICENSE', 'package.json']
const leftOut = ['dist/playground', 'dist/explorer']

if (import.meta.main) {
  execFileSync(process.execPath, ['build/package.ts', '--folder'], { cwd: root, stdio: 'inherit' })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const output = `dist/lexigraph-${version}.mcpb`
  await packBundle(join(root, 'dist/package'), join(root, output))
  console.log(output)
}

/** Packs the package in the folder `from`. Throws if the manifest is not valid. */
export async function packBundle(from: string, output: string): Promise<void> {
  const { packExtension } = await loadPacker()
  const folder = mkdtempSync(join(tmpdir(), 'lexigraph-mcpb-'))
  try {
    for (const name of copied) cpSync(join(from, name), join(folder, name), { recursive: true })
    for (const name of leftOut) rmSync(join(folder, name), { recursive: true, force: true })
    const described = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifestOf(described), null, 2)}\n`)
    mkdirSync(join(output, '..'), { recursive: true })
    const isPacked = await packExtension({ extensionPath: folder, outputPath: output, silent: true })
    if (isPacked !== true) throw new Error('The bundle could not be packed; its manifest may be invalid.')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Described {
  readonly version: string
  readonly author: string
  readonly license: string
  readonly keywords: readonly string[]
  readonly engines: { readonly node: string }
}

/** Empty values count as not given. */
function manifestOf({ version, author, license, keywords, engines }: Described) {
  return {
    manifest_version: '0.3',
    name: 'lexigraph',
    display_name: 'Lexigraph',
    version,
    description: 'Search, read and count public records of the AT Protocol at a Lexigraph service.',
    long_description:
      'Asks the GraphQL service that you name, and changes nothing. Texts of records are written by anybody: give the model no tools that may do harm.',
    author: { name: author },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'bin/lexigraph.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/bin/lexigraph.js', 'mcp', '--endpoint', '${user_config.endpoint}'],
        env: {
          LEXIGRAPH_API_KEY: '${user_config.key}',
          LEXIGRAPH_LEXICONS: '${user_config.lexicons}',
        },
      },
    },
    tools_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    user_config: {
      endpoint: {
        type: 'string',
        title: 'Address of the service',
        description: 'The GraphQL service that answers, such as https://news.example/api/graphql.',
        required: true,
        default: 'http://127.0.0.1:4000/api/graphql',
      },
      key: {
        type: 'string',
        title: 'Key',
        description: 'Your key, if the service gave you one.',
        sensitive: true,
        required: false,
        default: '',
      },
      lexicons: {
        type: 'directory',
        title: 'Lexicons',
        description: 'A folder with the lexicons of the service, if it has others than those of news.',
        required: false,
        default: '',
      },
    },
  }
}
