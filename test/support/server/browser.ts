/** A real browser, where there is one. */
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { patience } from '../until.ts'

/** The headless shell first: it draws the same pages with half of the computing. */
const usualPlaces = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
]
const executablePath = [process.env['CHROMIUM_PATH'] ?? '', ...usualPlaces].find((path) => existsSync(path))

/** The reason to skip a test that needs a browser, or false. */
export const skipWithoutBrowser =
  executablePath === undefined && 'No Chromium here: install it, or set CHROMIUM_PATH to one.'

let shared: Promise<Browser> | undefined
after(async () => (await shared)?.close())

/** Started once for all tests of a process; each reader has a context of its own in it. */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= openBrowser())
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(executablePath && { executablePath }),
    timeout: patience,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}
