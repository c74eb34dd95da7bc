/** What a form keeps of the address of its page. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'

/** The parameters, and the language if the reader chose it. */
export function hiddenInputs(parameters: readonly (readonly [string, string])[], language: Language): Html {
  const kept = language.isChosen ? [...parameters, ['lang', language.tag] as const] : parameters
  return kept.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)
}
