/** A page of another origin than the service, in a real browser. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser } from '../support/server/browser.ts'

/** An empty page of an origin of its own, in a browser, with a script if one is given. */
export async function openPage(t: TestContext, script = ''): Promise<Page> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><script src="/page.js"></script>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await openBrowser()
  t.after(async () => {
    await browser.close()
    server.close()
  })
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return page
}
