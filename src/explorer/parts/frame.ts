/** The frame of every page: head, search, language, foot. */
import { html, type Html, toText } from '../html.ts'
import { type Language, languages } from '../languages/language.ts'
import type { IndexState, Site } from '../page.ts'

export interface Frame {
  readonly site: Site
  readonly language: Language
  readonly title: string
  /** The address of the page, without that of the host and without the language. */
  readonly address: string
  readonly isIndexed: boolean
}

/** The start of a page, which is sent before its data are there; `frameEnd` closes it. */
export function frameStart({ site, language, title, address, isIndexed }: Frame): string {
  const { text } = language
  const full = title === site.title ? title : `${title} · ${site.title}`
  const head = toText(html`
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${full}</title>
    ${!isIndexed && html`<meta name="robots" content="noindex" />`}
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href=${`${site.assets}page.css`} />
    <script type="module" src=${`${site.assets}page.js`}></script>
  `)
  const top = toText(html`
    <a class="skip" href="#main">${text.skip}</a>
    <header class="top">
      <a class="home" href=${withLanguage('/', language)}>${site.title}</a>
      <nav aria-label=${text.language} class="languages">
        ${languages.length > 1 && languages.map((each) => languageLink(each, language, address))}
      </nav>
      <a href="/api/graphql">${text.console}</a>
    </header>
  `)
  return `<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>${head}</head>
<body>${top}<main id="main">`
}

export function frameEnd({ language }: Frame, index: IndexState | null): string {
  const newest =
    index?.collections
      .map(({ newestIndexedAt }) => newestIndexedAt ?? 0n)
      .reduce((one, other) => (one > other ? one : other), 0n) ?? 0n
  const instant = newest === 0n ? null : new Date(Number(newest / 1000n)).toISOString()
  const foot = html`<footer class="foot">
    ${instant !== null && html`<p>${language.text.updated(language.time(instant))} UTC</p>`}
    ${index?.sources.map(({ name, state }) => html`<p>${language.text.sourceState(name, state)}</p>`)}
  </footer>`
  return `</main>${toText(foot)}</body></html>`
}

function languageLink(each: Language, current: Language, address: string): Html {
  if (each.tag === current.tag) return html`<span aria-current="true" lang=${each.tag}>${each.name}</span>`
  return html`<a href=${withParameter(address, 'lang', each.tag)} hreflang=${each.tag} lang=${each.tag} rel="nofollow">${each.name}</a>`
}

/** Keeps the language that the reader chose. */
export function withLanguage(address: string, language: Language): string {
  return language.isChosen ? withParameter(address, 'lang', language.tag) : address
}

function withParameter(address: string, name: string, value: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`
}
