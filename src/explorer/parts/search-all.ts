/** The search box over all collections. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Site } from '../page.ts'
import { hiddenInputs } from './hidden-inputs.ts'

/** Null where no collection has free text. */
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
