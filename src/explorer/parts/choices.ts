/** A row of links that choose one of several. */
import { withLanguage } from '../addresses.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'

export interface Choice {
  readonly label: string
  readonly address: string | null
  readonly isChosen: boolean
}

export function choiceList(label: string, choices: readonly Choice[], language: Language): Html {
  if (choices.length < 2) return null
  return html`<nav aria-label=${label}><ul>
    <li>${label}:</li>
    ${choices.map(
      ({ label: each, address, isChosen }) =>
        html`<li><a href=${withLanguage(address, language)} rel="nofollow" aria-current=${isChosen ? 'true' : undefined}>${each}</a></li>`,
    )}
  </ul></nav>`
}
