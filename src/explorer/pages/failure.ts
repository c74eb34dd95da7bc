/** What a reader sees instead of a page: no such page, a refusal, or a failure. */
import type { EndpointFault } from '../../endpoint/endpoint.ts'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { withLanguage } from '../addresses.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Draft, PageRequest } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { queryText } from '../view/view.ts'

export function notFoundPage({ language }: PageRequest): Draft {
  const { text } = language
  return {
    status: 404,
    title: text.notFound,
    operation: null,
    isIndexed: false,
    render: () =>
      html`<h1>${text.notFound}</h1><p><a href=${withLanguage('/', language)}>${text.home}</a></p>`,
  }
}

/** For pages that have no parameters. */
export function unknownParameters(parameters: PageRequest['parameters']): readonly Problem[] {
  return parameters.map(([name]) => ({ kind: 'unknownParameter', name: name.slice(0, 100) }))
}

/** For an address that asks for something that does not exist; leads to the address without it. */
export function problemPage(
  problems: readonly Problem[],
  title: string,
  { language, parameters, address }: PageRequest,
): Draft {
  const { text } = language
  const isWrong = (name: string) =>
    problems.some((problem) => !('name' in problem) || `${name}.`.startsWith(`${problem.name}.`))
  const [path = '/'] = address.split('?')
  const query = queryText(parameters.filter(([name]) => !isWrong(name)))
  const without = withLanguage(query === '' ? path : `${path}?${query}`, language)
  return {
    status: 400,
    title,
    operation: null,
    isIndexed: false,
    render: () => html`<section class="problem" role="alert">
      <h1>${text.wrongAddress}</h1>
      <ul>${problems.map((problem) => html`<li>${text.problem(problem)}</li>`)}</ul>
      <p><a href=${without} rel="nofollow">${text.withoutProblems}</a></p>
    </section>`,
  }
}

/** For a reader who is not let in. */
export function refusedPage(fault: EndpointFault, { language }: PageRequest): Draft {
  const { status, content } = failurePage(fault, language)
  return {
    status,
    title: language.text.failed,
    operation: null,
    isIndexed: false,
    render: () => content,
  }
}

/** Says what the reader can do about it. */
export function failurePage(
  fault: EndpointFault | null,
  { text }: Language,
): { readonly status: number; readonly content: Html } {
  const code = fault?.code ?? null
  const known = code !== null && Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : null
  const advice =
    code === 'QUERY_TOO_COMPLEX'
      ? text.tooExpensive
      : code === 'RATE_LIMITED'
        ? text.tooMany(fault?.retryAfter ?? 60)
        : code === 'INVALID_CURSOR'
          ? text.wrongPage
          : null
  // The message of the service is in English, and says what to change where the advice does not.
  const isTelling = fault !== null && (advice === null || code === 'QUERY_TOO_COMPLEX')
  return {
    status: known?.status ?? 500,
    content: html`<section class="problem" role="alert">
      <h1>${text.failed}</h1>
      ${advice !== null && html`<p>${advice}</p>`}
      ${isTelling && html`<p lang="en" dir="ltr" class="none">${fault.message}</p>`}
    </section>`,
  }
}
