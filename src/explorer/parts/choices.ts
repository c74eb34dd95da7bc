/** Rows of links that choose one of several. */
import { withLanguage } from '../addresses.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import { withOthers } from '../chart-data/own-parameters.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { View } from '../view/view.ts'

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

/** Chooses the value of a parameter of the page; null for none. */
export function valueList(
  label: string,
  name: string,
  values: readonly (readonly [value: string | null, label: string])[],
  chosen: string | null,
  addressOf: (view: View) => string | null,
  { view, language }: Pick<ChartContext, 'view' | 'language'>,
): Html {
  const choices = values.map(([value, each]) => ({
    label: each,
    address: addressOf(withOthers(view, { [name]: value })),
    isChosen: value === chosen,
  }))
  return choiceList(label, choices, language)
}
