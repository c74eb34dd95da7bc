/** What forms of several pages have in common. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Site } from '../page.ts'

/** The parameters, and the language if the reader chose it. */
export function hiddenInputs(parameters: readonly (readonly [string, string])[], language: Language): Html {
  const kept = language.isChosen ? [...parameters, ['lang', language.tag] as const] : parameters
  return kept.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)
}

/** The search box over all collections; null where none has free text. */
export function searchAllForm({ subjects }: Site, language: Language, value = ''): Html {
  const { text } = language
  if (subjects.all.every(({ collection }) => collection.searchFields.length === 0)) return null
  return html`<form class="search" action="/search" role="search">
    <label class="words"><span class="hidden">${text.browse.searchAll}</span>
      <input type="search" name="q" value=${value} maxlength="1000" placeholder=${text.browse.searchAll} title=${text.browse.searchLead} data-key="/" /></label>
    ${hiddenInputs([], language)}
    <button class="main">${text.search}</button>
  </form>`
}
