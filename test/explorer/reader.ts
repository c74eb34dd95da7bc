/** The real program over the demo's records, and readers with real browsers. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { en } from '../../src/explorer/languages/en.ts'
import { runProgram, type Service, startService } from '../network/service.ts'
import { sharedBrowser } from '../support/server/browser.ts'
import { demoRecords } from '../support/records/demo.ts'
import { makeFolder } from '../support/removed-folders.ts'
import type { TestServiceGiven } from '../support/service/service.ts'
import { patience, until } from '../support/until.ts'
import { generousTiers } from '../support/server/tiers.ts'

export interface Reader extends AsyncDisposable {
  readonly page: Page
  /** What the browser complains about, such as scripts that a policy forbids; and addresses elsewhere that it asked. */
  readonly complaints: string[]
  readonly actions: () => number
  click(target: Locator): Promise<void>
  /** Types a text and presses Enter. */
  search(target: Locator, text: string): Promise<void>
  fill(target: Locator, text: string): Promise<void>
  select(target: Locator, label: string): Promise<void>
}

let demo: Promise<Service> | undefined
/** It goes with the process: a service of a test ends with a failure when its file is deleted before. */
const folder = makeFolder('lexigraph-reader-')
const demoName = join(folder, 'demo')
after(async () => {
  await (await demo)?.stop()
})

/** Started once for all tests of a process, which only read it. */
export function demoService(): Promise<Service> {
  return (demo ??= serve(demoRecords(), demoName).then(drawing))
}

/** The path of its database, for services with other settings. */
export async function demoDatabase(): Promise<string> {
  await demoService()
  return `${demoName}.db`
}

/** The program over records of other lexicons. */
export function serveOther({ lexicons, references = {}, records = [] }: TestServiceGiven): Promise<Service> {
  const own = mkdtempSync(join(folder, 'set-'))
  const dir = join(own, 'lexicons')
  mkdirSync(dir)
  const documents = [...lexicons.map((each) => [each.id, each]), ['references', references]]
  for (const [name, document] of documents) writeFileSync(join(dir, `${name}.json`), JSON.stringify(document))
  const lines = records.map(({ uri, cid, indexedAt, value }) => ({
    uri,
    cid,
    value,
    indexedAt: typeof indexedAt === 'bigint' ? new Date(Number(indexedAt / 1_000n)).toISOString() : indexedAt,
  }))
  return serve(lines, join(own, 'records'), { LEXIGRAPH_LEXICONS: dir })
}

async function serve(
  lines: readonly object[],
  name: string,
  more: Record<string, string> = {},
): Promise<Service> {
  const records = `${name}.jsonl`
  writeFileSync(records, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const env = { LEXIGRAPH_DATABASE: `sqlite:${name}.db`, ...more }
  const { status, stderr } = await runProgram(['import', records], { env })
  assert.equal(status, 0, stderr)
  // A test asks more in a minute than a reader does.
  return startService(['serve', '--workers', '1', '--tiers', generousTiers], { env })
}

/** With its thread for charts started, which may take longer than a page waits for a chart. */
async function drawing(service: Service): Promise<Service> {
  const chart = `${service.url}/c/tech.service.news.article/chart.svg?part=groups&by=language`
  await until(async () => (await fetch(chart)).ok)
  return service
}

/** A browser of its own for each reader: without cookies, storage or cache of others. */
export async function openReader(address: string, options: BrowserContextOptions = {}): Promise<Reader> {
  const url = address.startsWith('http') ? new URL(address).origin : (await demoService()).url
  const context = await (await sharedBrowser()).newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
  // Of late parts, whose order makes the last one wait for all others, none is given up.
  await page.addInitScript('AbortSignal.timeout = () => new AbortController().signal')
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(data|blob):/.test(request.url())
    if (!isOwn) complaints.push(`It asked ${request.url()}.`)
  })
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText
    // A page that is left stops loading what it had begun to load.
    if (error !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${error}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(address.startsWith('http') ? address : url + address)
  await showCharts(page)
  let actions = 0
  const act = async (action: Promise<unknown>): Promise<void> => {
    actions += 1
    await action
    await page.waitForLoadState()
    await showCharts(page)
  }
  return {
    page,
    complaints,
    actions: () => actions,
    click: (target) => act(target.click()),
    search: (target, text) => act(target.fill(text).then(() => target.press('Enter'))),
    fill: (target, text) => act(target.fill(text)),
    select: (target, label) => act(target.selectOption({ label })),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** A service that was held up for seconds says that its charts failed; it is asked again. */
export async function showCharts(page: Page): Promise<void> {
  while ((await page.getByText(en.charts.failed).count()) > 0) await page.reload()
}
