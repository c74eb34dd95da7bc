/** An account: its handle, how many records it has in each collection, and those indexed last; in pages of many. */
import { accountAddress, withLanguage, withParameter } from '../addresses.ts'
import { selectFields } from '../fields/record-selection.ts'
import { counted, subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html, linked } from '../html.ts'
import { briefColumns, type ListNode, resultOfNode } from '../lists/list.ts'
import { affordable, buildOperation, type Operation, type Panel } from '../../ask/operation.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import { results } from '../parts/results.ts'
import { recordText, zoneNote } from '../parts/values.ts'
import { type Problem, unknownChoice } from '../view/problem.ts'
import { valueAddress } from '../browse/context.ts'
import { problemPage, unknownParameters } from './failure.ts'

const newestOfEach = 3
/** On one page, if their price allows it. */
const mostCollections = 24
/** The NSID of the first collection that a page shows. */
const fromParameter = 'from'

interface AccountList {
  readonly totalCount: number
  readonly nodes: readonly (ListNode & { readonly actorHandle: string | null })[]
}

export function accountPage(site: Site, did: string, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const { all } = site.subjects
  const given = parameters.findLast(([name]) => name === fromParameter)?.[1]
  const start = given === undefined ? 0 : all.findIndex(({ collection }) => collection.nsid === given)
  const problems: readonly Problem[] = [
    ...unknownParameters(parameters.filter(([name]) => name !== fromParameter)),
    ...(start < 0 ? [unknownChoice(fromParameter, given ?? '', [])] : []),
  ]
  if (problems.length > 0) return problemPage(problems, did, request)
  const subjects = affordableFrom(start, did, site)
  const isWhole = subjects.length === all.length
  const listsIn = (answer: Answer) => subjects.map((subject) => listOf(answer, subject))
  return {
    title: did,
    operation: build(subjects, did, site),
    isIndexed: parameters.length === 0,
    known(answer) {
      const lists = listsIn(answer)
      if (isWhole && lists.every(isEmpty)) return { status: 404, title: text.account.none }
      return { title: handleOf(lists) ?? did }
    },
    render(answer) {
      const lists = listsIn(answer)
      const handle = handleOf(lists)
      return html`
        <p class="kind">${text.record.account}</p>
        <h1>${recordText(handle ?? did)}</h1>
        ${handle !== null && html`<p><bdi class="uri">${did}</bdi></p>`}
        ${lists.every(isEmpty) && html`<p>${isWhole ? text.account.none : text.account.noneOfThese}. ${text.record.notIndexedHint}</p>`}
        ${!lists.every(isEmpty) && zoneNote(language)}
        ${subjects.map((subject) => section(subject, listOf(answer, subject)))}
        ${!isWhole && pages()}
      `
    },
  }

  function section(subject: PageSubject, { totalCount, nodes }: AccountList): Html {
    if (totalCount === 0) return null
    const field = subject.fields.get('did')
    const address = field === undefined ? null : valueAddress({ subject, language }, field, did)
    const columns = briefColumns(subject)
    const found = nodes.map((node) => resultOfNode(node, columns))
    return html`<section>
    <h2>${subjectLabel(subject, language)}</h2>
    <p>${linked(address, counted(subject, totalCount, language))}</p>
    ${results(found, 'list', [], { subject, language })}
  </section>`
  }

  function pages(): Html {
    const end = start + subjects.length
    const own = accountAddress(did)
    const next = all[end]
    return html`<nav class="pages" aria-label=${text.browse.pages}>
    <span>${text.account.collections(language.number(start + 1), language.number(end), language.number(all.length))}</span>
    ${start > 0 && html`<a href=${withLanguage(own, language)} rel="nofollow">${text.firstPage}</a>`}
    ${next !== undefined && html`<a class="next" href=${withLanguage(withParameter(own, fromParameter, next.collection.nsid), language)} rel="next nofollow">${text.next}</a>`}
  </nav>`
  }
}

function build(shown: readonly PageSubject[], did: string, site: Site): Operation {
  const panels = shown.map((subject) => panel(did, subject))
  return buildOperation(site.schema, 'Account', panels)
}

/** As many collections as a page can afford; at least one. */
function affordableFrom(start: number, did: string, site: Site): readonly PageSubject[] {
  const subjects = site.subjects.all.slice(start, start + mostCollections)
  while (subjects.length > 1 && (site.price(build(subjects, did, site)) ?? 0) > affordable) subjects.pop()
  return subjects
}

function panel(did: string, subject: PageSubject): Panel {
  const { collection } = subject
  return {
    name: collection.rootField,
    field: collection.rootField,
    arguments: { first: newestOfEach, where: { did: { eq: did } } },
    selection: {
      totalCount: {},
      nodes: { actorHandle: {}, ...selectFields(briefColumns(subject)) },
    },
  }
}

function isEmpty({ totalCount }: AccountList): boolean {
  return totalCount === 0
}

function listOf(answer: Answer, { collection }: PageSubject): AccountList {
  return answer[collection.rootField] as AccountList
}

function handleOf(lists: readonly AccountList[]): string | null {
  return lists.flatMap(({ nodes }) => nodes.map(({ actorHandle }) => actorHandle)).find(Boolean) ?? null
}
