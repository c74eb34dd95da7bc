/** What search engines and previews of links read in the head of a page. */
import { withParameter } from '../addresses.ts'
import { html, type Html } from '../html.ts'
import { languages } from '../languages/language.ts'
import type { Frame } from '../page.ts'

/** Characters of a description. */
const longest = 300

export function pageMeta({ site, language, title, description, address, isIndexed }: Frame): Html {
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
