/** The frame of every page: head, search, language, foot. */
import { collectionAddress, withLanguage, withParameter } from '../addresses.ts'
import { subjectLabel } from '../fields/labels.ts'
import { html, type Html, toText } from '../html.ts'
import { type Language, languages } from '../languages/language.ts'
import { type Draft, type IndexState, newestIndexed, type PageRequest, type Site } from '../page.ts'
import { timeAndZone } from './values.ts'

/** The head up to the title, so that browsers load scripts and styles before the data are there. */
export function frameHead({ language: { tag, direction } }: PageRequest, site: Site): string {
  return `<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>${toText(html`
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href=${site.operator.logo ?? 'data:,'} />
    <link rel="stylesheet" href=${`${site.assets}page.css`} />
    <script type="module" src=${`${site.assets}page.js`}></script>`)}`
}

/** The start of a page, which is sent before its data are there; `frameEnd` closes it. */
export function frameStart(request: PageRequest, site: Site, draft: Draft): string {
  const { language, address } = request
  const { title, isIndexed, isEmbedded = false, feed = null } = draft
  const { text } = language
  const { logo } = site.operator
  const full = title === site.title ? title : `${title} · ${site.title}`
  const head = toText(html`
    <title>${full}</title>
    ${!isIndexed && html`<meta name="robots" content="noindex" />`}
    ${isEmbedded ? html`<base target="_blank" />` : pageMeta(request, site, draft)}
    ${feed !== null && html`<link rel="alternate" type="application/atom+xml" href=${feed} />`}
  `)
  const start = `${frameHead(request, site)}${head}</head>`
  if (isEmbedded) return `${start}<body class="embedded"><main id="main">`
  const top = toText(html`
    <a class="skip" href="#main">${text.skip}</a>
    <header class="top">
      <a class="home" href=${withLanguage('/', language)}>${logo !== null && html`<img src=${logo} alt="" />`}${site.title}</a>
      ${places(site, language, address)}
      <nav aria-label=${text.language} class="languages">
        ${languages.length > 1 && languages.map((each) => languageLink(each, language, address))}
      </nav>
      <a href="/api/graphql">${text.playground}</a>
    </header>
  `)
  return `${start}<body>${top}<main id="main">`
}

export function frameEnd(
  { language, address, origin }: PageRequest,
  site: Site,
  isEmbedded: boolean,
  index: IndexState | null,
): string {
  if (isEmbedded) return '</main></body></html>'
  const { text } = language
  const { contact, note } = site.operator
  const newest = newestIndexed(index)
  const foot = html`<footer class="foot">
    <p class="printed" dir="ltr">${origin + address}</p>
    ${newest !== null && html`<p>${text.updated} ${timeAndZone(newest, language)}</p>`}
    ${index?.sources.map(({ name, state }) => html`<p>${text.operator.source}: <bdi>${text.sourceState(name, state)}</bdi></p>`)}
    ${note.length > 0 && html`<section class="note" aria-label=${text.operator.note}>${note.map((paragraph) => html`<p dir="auto">${linked(paragraph)}</p>`)}</section>`}
    ${contact !== null && html`<p>${text.operator.contact}: <a href=${contact}><bdi>${contact.replace(/^mailto:/, '')}</bdi></a></p>`}
  </footer>`
  return `</main>${toText(foot)}${toText(keyList(language))}</body></html>`
}

/** The operator's text, with links of the https addresses in it. */
function linked(paragraph: string): Html {
  const parts = paragraph.split(/(https:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/)
  return parts.map((part, at) => (at % 2 === 1 ? html`<a href=${part}>${part}</a>` : part))
}

/** More would be no help. */
const mostPlaces = 6

function places({ subjects }: Site, language: Language, address: string): Html {
  if (subjects.all.length > mostPlaces) return html`<span class="places"></span>`
  const path = address.split('?', 1)[0] ?? ''
  return html`<nav class="places" aria-label=${language.text.collections}>
    ${subjects.all.map((subject) => {
      const place = collectionAddress(subject.collection.nsid)
      const current = path === place ? 'page' : path.startsWith(`${place}/`) ? 'true' : undefined
      return html`<a href=${withLanguage(place, language)} aria-current=${current}>${subjectLabel(subject, language)}</a>`
    })}
  </nav>`
}

function languageLink(each: Language, current: Language, address: string): Html {
  if (each.tag === current.tag) return html`<span aria-current="true" lang=${each.tag}>${each.name}</span>`
  return html`<a href=${withParameter(address, 'lang', each.tag)} hreflang=${each.tag} lang=${each.tag} rel="nofollow">${each.name}</a>`
}

/** The list of keys, which the script opens. */
function keyList({ text: { keys } }: Language): Html {
  const list = [
    ['/', keys.search],
    ['j', keys.next],
    ['k', keys.previous],
    ['Enter', keys.open],
    ['?', keys.help],
    ['Esc', keys.close],
  ]
  return html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">${keys.title}</h2>
    <dl>${list.map(([key, meaning]) => html`<dt><kbd>${key}</kbd></dt><dd>${meaning}</dd>`)}</dl>
    <form method="dialog"><button>${keys.close}</button></form>
  </dialog>`
}

/** Characters of a description. */
const longest = 300

/** What search engines and previews of links read in the head of a page. */
function pageMeta({ language, address }: PageRequest, site: Site, draft: Draft): Html {
  const { title, description, isIndexed } = draft
  const { origin, logo } = site.operator
  const about = (description ?? language.text.operator.about(site.title)).slice(0, longest)
  const own = language.isChosen ? withParameter(address, 'lang', language.tag) : address
  return html`
    <meta name="description" content=${about} />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content=${site.title} />
    <meta property="og:title" content=${title} />
    <meta property="og:description" content=${about} />
    <meta property="og:locale" content=${language.tag} />
    <meta name="twitter:card" content="summary" />
    ${
      origin !== null &&
      html`<meta property="og:url" content=${origin + own} />
      ${logo !== null && html`<meta property="og:image" content=${origin + logo} />`}
      ${
        isIndexed &&
        html`<link rel="canonical" href=${origin + own} />
        <link rel="alternate" hreflang="x-default" href=${origin + address} />
        ${languages.map(({ tag }) => html`<link rel="alternate" hreflang=${tag} href=${origin + withParameter(address, 'lang', tag)} />`)}`
      }`
    }
  `
}
