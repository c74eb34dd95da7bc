/**
 * Writes docs/explorer.webp, the picture at the top of the README: a page of the explorer over the demo's records.
 * Usage: npm run screenshot. It needs Chromium.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../test/support/server/browser.ts'

const program = fileURLToPath(new URL('../bin/lexigraph.js', import.meta.url))
const picture = new URL('../docs/explorer.webp', import.meta.url)
const port = 4747
const address = '/c/tech.service.news.article?per=week&split=language'
const size = { width: 1280, height: 860 }

const demo = spawn(process.execPath, [program, 'demo', '--port', String(port)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(demo, 'exit')
try {
  // It says so when it answers.
  await once(createInterface({ input: demo.stdout }), 'line')
  writeFileSync(picture, await draw(`http://127.0.0.1:${port}${address}`))
} finally {
  demo.kill()
  await ended
}

/** Chromium takes pictures as PNG; as WebP they are a third as large and as sharp. */
async function draw(url: string): Promise<Buffer> {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({
      viewport: size,
      deviceScaleFactor: 1.5,
      colorScheme: 'light',
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    await page.goto(url, { waitUntil: 'networkidle' })
    const png = await page.screenshot()
    await page.goto('about:blank')
    const webp = await page.evaluate(
      `(async () => {
        const image = new Image()
        image.src = 'data:image/png;base64,${png.toString('base64')}'
        await image.decode()
        const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
        canvas.getContext('2d').drawImage(image, 0, 0)
        return canvas.toDataURL('image/webp', 0.85).split(',')[1]
      })()`,
    )
    return Buffer.from(String(webp), 'base64')
  } finally {
    await browser.close()
  }
}
