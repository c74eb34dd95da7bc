/** What tests of pages share: fenced blocks, JSON as pages lay it out, and the service that answers. */
import { Readable } from 'node:stream'
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import { parseConfig } from '../../../src/cli/settings/config.ts'
import { openService } from '../../../src/cli/service/service.ts'
import { importRecords } from '../../../src/ingest/sources/files/import.ts'

const rootUrl = new URL('../../../', import.meta.url)

export interface Fence {
  /** The words after the opening marks. */
  readonly info: string
  readonly body: string
  /** Of the whole fence, and of its body, in the page's text. */
  readonly start: number
  readonly bodyStart: number
  readonly end: number
}

export function readFences(text: string): Fence[] {
  return Array.from(text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm), (match) => {
    const [whole, info = '', body = ''] = match
    const bodyStart = match.index + 4 + info.length
    return { info: info.trim(), body, start: match.index, bodyStart, end: match.index + whole.length }
  })
}

/** Indented JSON, but what fits on a line stays on it. */
export function formatJson(value: unknown, indent = '', room = 100): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inside = `${indent}  `
  const list = Array.isArray(value)
  const parts = Object.entries(value).map(([key, member]) => {
    const name = list ? '' : `${JSON.stringify(key)}: `
    return `${name}${formatJson(member, inside, room - 2)}`
  })
  const flat = parts.join(', ')
  const [open, close] = list ? ['[', ']'] : ['{', '}']
  if (indent !== '' && flat.length < room - 20 && !flat.includes('\n')) return `${open}${flat}${close}`
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.map((part) => inside + part).join(',\n')}\n${indent}${close}`
}

/** What `npm run demo` serves. */
export async function openDemo() {
  const { config } = parseConfig('demo', [], {})
  const service = await openService({ ...config, database: 'sqlite::memory:' }, rootUrl)
  const lines = Iterator.from(buildDemoCorpus()).map((record) => Buffer.from(`${JSON.stringify(record)}\n`))
  const input = { name: 'demo', size: null, open: () => Readable.from(lines) }
  await importRecords(service.database.write, [input], { ...service, workers: 1 })
  return service
}
