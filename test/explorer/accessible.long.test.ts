/** Every kind of page, in every language. */
import { test } from 'node:test'
import { languages } from '../../src/explorer/languages/language.ts'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { assertAccessible, pages } from './accessible.ts'

const kinds = [...(Object.keys(pages) as (keyof typeof pages)[]), 'article'] as const

for (const { tag } of languages)
  test(`no page is wider than a phone or hard to use, in the language ${tag}`, { skip }, async () => {
    await assertAccessible(tag, [], kinds)
  })
