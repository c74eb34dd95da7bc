/** What is wrong with an address, in place of results. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Problem } from '../view/problem.ts'

export function problemList(problems: readonly Problem[], { text }: Language): Html {
  return html`<section class="problem" role="alert">
    <h1>${text.wrongAddress}</h1>
    <ul>${problems.map((problem) => html`<li>${text.problem(problem)}</li>`)}</ul>
  </section>`
}
