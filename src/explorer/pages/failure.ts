/** What a reader sees instead of a page: no such page, a refusal, or a failure. */
import type { EndpointFault } from '../../endpoint/endpoint.ts'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { withLanguage } from '../addresses.ts'
import { html, type Html } from '../html.ts'
import type { Draft, PageRequest } from '../page.ts'
import { hiddenInputs } from '../parts/forms.ts'
import type { Problem } from '../view/problem.ts'
import { queryText, searchOf } from '../view/view.ts'

export function notFoundPage({ language }: PageRequest): Draft {
  const { text } = language
  const content = html`<h1>${text.notFound}</h1><p><a href=${withLanguage('/', language)}>${text.home}</a></p>`
  return failureDraft(404, text.notFound, content)
}

function failureDraft(status: number, title: string, content: Html): Draft {
  return { status, title, operation: null, render: () => content }
}

/** For pages that have no parameters. */
export function unknownParameters(parameters: PageRequest['parameters']): readonly Problem[] {
  return parameters.map(([name]) => ({ kind: 'unknownParameter', name: name.slice(0, 100) }))
}

/** For an address that asks for something that does not exist; leads to the address without it. */
export function problemPage(problems: readonly Problem[], title: string, request: PageRequest): Draft {
  const { language, parameters } = request
  const { text } = language
  const isWrong = (name: string) =>
    problems.some((problem) => !('name' in problem) || `${name}.`.startsWith(`${problem.name}.`))
  const wrong = parameters.map(([name]) => name).filter(isWrong)
  const rest = withLanguage(without(request, wrong), language)
  const content = html`<section class="problem" role="alert">
    <h1>${text.wrongAddress}</h1>
    <ul>${problems.map((each) => html`<li>${(text.problems[each.kind] as (problem: Problem) => string)(each)}</li>`)}</ul>
    <p><a href=${rest} rel="nofollow">${text.withoutProblems}</a></p>
  </section>`
  return failureDraft(400, title, content)
}

/** `instead`: links to what can be afforded; null for one to the page without filters. */
export function tooExpensivePage(request: PageRequest, instead: Html = null): Draft {
  return refusedPage({ message: '', code: 'QUERY_TOO_COMPLEX', retryAfter: null }, request, instead)
}

/** For a reader who is not let in, and for a page or file that cannot be had: says what can be done about it. */
export function refusedPage(fault: EndpointFault | null, request: PageRequest, instead: Html = null): Draft {
  const { text } = request.language
  const code = fault?.code ?? null
  const known = code !== null && Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : null
  const { advice, wayOn } = adviceOn(fault, request)
  const content = html`<section class="problem" role="alert">
    <h1>${text.failed}</h1>
    ${advice !== null && html`<p>${advice}</p>`}
    ${
      // The message of the service is in English.
      fault !== null &&
      (advice === null || advice === text.wrongInput) &&
      html`<p lang="en" dir="ltr" class="none">${fault.message}</p>`
    }
    ${instead ?? wayOn}
  </section>`
  const retryAfter = fault?.retryAfter ?? null
  return { ...failureDraft(known?.status ?? 500, text.failed, content), retryAfter }
}

/** In place of parts that a page lacks for a while; null for those that it never has, such as what costs too much. */
export function leftOutNote(fault: EndpointFault | null, request: PageRequest): Html {
  const { advice, wayOn } = adviceOn(fault, request)
  return ['RATE_LIMITED', 'UNAVAILABLE', 'TIMEOUT'].includes(fault?.code ?? '')
    ? html`<div class="problem" role="status"><p>${request.language.text.leftOut} ${advice}</p>${wayOn}</div>`
    : null
}

/** What can be done about it: in a sentence, null where there is nothing to say, and as links. */
function adviceOn(fault: EndpointFault | null, request: PageRequest) {
  const { language, address } = request
  const { text } = language
  const search = searchOf(request.parameters)
  const link = (label: string, to: string) =>
    html`<p><a href=${withLanguage(to, language)} rel="nofollow">${label}</a></p>`
  const home = link(text.home, '/')
  // The searches stay, and the field of a filter; where there is nothing else, they go.
  const names = request.parameters.map(([name]) => name)
  const others = names.filter((name) => !['q', 'for', 'field'].includes(name))
  const onlySearches = others.length > 0 ? without(request, others) : pathOf(address)
  const cleared = onlySearches === address ? home : link(text.clear, onlySearches)
  const again = link(text.tryAgain, address)
  const first = link(text.firstPage, without(request, ['after', 'before']))
  const rest = link(text.withoutProblems, without(request, ['q', 'after', 'before']))
  const known: Partial<Record<string, { advice: string | null; wayOn: Html }>> = {
    METHOD_NOT_ALLOWED: { advice: text.onlyRead, wayOn: link(text.openPage, address) },
    RATE_LIMITED: { advice: text.tooMany(fault?.retryAfter ?? 60), wayOn: again },
    UNAVAILABLE: { advice: null, wayOn: again },
    TIMEOUT: { advice: text.tooSlow, wayOn: again },
    QUERY_TOO_COMPLEX: { advice: text.tooExpensive, wayOn: cleared },
    INVALID_CURSOR: { advice: text.wrongPage, wayOn: first },
    BAD_USER_INPUT:
      search === null
        ? { advice: text.wrongInput, wayOn: cleared }
        : { advice: text.wrongSearch, wayOn: [searchAgain(search, request), rest] },
  }
  return known[fault?.code ?? ''] ?? { advice: null, wayOn: home }
}

/** The search of the page, to be changed. */
function searchAgain(search: string, { language, parameters, address }: PageRequest): Html {
  const { text } = language
  const others = parameters.filter(([name]) => !['q', 'after', 'before'].includes(name))
  return html`<form class="search" action=${pathOf(address)} role="search">
    <label class="words"><span class="hidden">${text.search}</span>
      <input type="search" name="q" value=${search} maxlength="1000" title=${text.browse.searchLead} data-key="/" /></label>
    ${hiddenInputs(others, language)}
    <button class="main">${text.search}</button>
  </form>`
}

function without({ parameters, address }: PageRequest, names: readonly string[]): string {
  const query = queryText(parameters.filter(([name]) => !names.includes(name)))
  return query === '' ? pathOf(address) : `${pathOf(address)}?${query}`
}

function pathOf(address: string): string {
  return address.split('?', 1)[0] ?? '/'
}
