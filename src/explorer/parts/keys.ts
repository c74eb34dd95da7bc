/** The list of keys, which the script opens. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'

export function keyList({ text: { keys } }: Language): Html {
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
