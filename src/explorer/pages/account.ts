/** An account: its handle, how many records it has in each collection, and the newest of them; in pages of many. */
import { accountAddress, withLanguage, withParameter } from '../addresses.ts'
import { selectFields } from '../fields/record-selection.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import { briefColumns, type ListNode, resultOfNode } from '../lists/list.ts'
import { affordable, buildOperation, type Operation, type Panel } from '../../ask/operation.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import { results } from '../parts/results.ts'
import { recordText, zoneNote } from '../parts/values.ts'
import type { Problem } from '../view/problem.ts'
import { filteredAddress } from '../record/filtered.ts'
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
    ...(start < 0
      ? [
          {
            kind: 'unknownChoice',
            name: fromParameter,
            value: given?.slice(0, 100) ?? '',
            choices: [],
          } as const,
        ]
      : []),
  ]
  if (problems.length > 0) return problemPage(problems, did, request)
  const subjects = all.slice(start, start + numberFrom(start))
  const isWhole = subjects.length === all.length
  const next = all[start + subjects.length]
  return {
    status: 200,
    title: did,
    operation: build(subjects),
    isIndexed: parameters.length === 0,
    known(answer) {
      const lists = subjects.map((subject) => listOf(answer, subject))
      if (isWhole && lists.every(isEmpty)) return { status: 404, title: text.account.none }
      return { status: 200, title: handleOf(lists) ?? did }
    },
    render(answer) {
      const lists = subjects.map((subject) => listOf(answer, subject))
      const handle = handleOf(lists)
      return html`
        <p class="kind">${text.record.account}</p>
        <h1>${recordText(handle ?? did)}</h1>
        ${handle !== null && html`<p><bdi class="uri">${did}</bdi></p>`}
        ${lists.every(isEmpty) && html`<p>${isWhole ? text.account.none : text.account.noneOfThese}. ${text.record.notIndexedHint}</p>`}
        ${!lists.every(isEmpty) && zoneNote(language)}
        ${subjects.map((subject, at) => section(subject, lists[at] as AccountList))}
        ${!isWhole && pages()}
      `
    },
  }

  function build(shown: readonly Subject[]): Operation {
    return buildOperation(
      site.schema,
      'Account',
      shown.map((subject) => panel(did, subject, site)),
    )
  }

  /** How many collections a page can afford; at least one. */
  function numberFrom(first: number): number {
    let number = Math.min(mostCollections, all.length - first)
    while (number > 1 && (site.price(build(all.slice(first, first + number))) ?? 0) > affordable) number -= 1
    return number
  }

  function pages(): Html {
    const { number } = language
    const shown = text.account.collections(
      number(start + 1),
      number(start + subjects.length),
      number(all.length),
    )
    const address = (from: Subject | null) => {
      const own = accountAddress(did)
      return withLanguage(
        from === null ? own : withParameter(own, fromParameter, from.collection.nsid),
        language,
      )
    }
    return html`<nav class="pages" aria-label=${text.browse.pages}>
      <span>${shown}</span>
      ${start > 0 && html`<a href=${address(null)} rel="nofollow">${text.firstPage}</a>`}
      ${next !== undefined && html`<a class="next" href=${address(next)} rel="next nofollow">${text.next}</a>`}
    </nav>`
  }

  function section(subject: Subject, { totalCount, nodes }: AccountList): Html {
    if (totalCount === 0) return null
    const { fields } = subject
    const field = fields.get('did')
    const address = field === undefined ? null : filteredAddress(subject, field, did, language)
    const count = language.plural(text.records, totalCount)
    const columns = briefColumns(subject)
    return html`<section>
      <h2>${subjectLabel(subject, language)}</h2>
      <p>${address === null ? count : html`<a href=${address} rel="nofollow">${count}</a>`}</p>
      ${results(
        nodes.map((node) => resultOfNode(node, columns, subject, site)),
        'list',
        [],
        subject,
        language,
      )}
    </section>`
  }
}

function panel(did: string, subject: Subject, { schema }: Site): Panel {
  const { collection } = subject
  return {
    name: collection.rootField,
    field: collection.rootField,
    arguments: { first: newestOfEach, where: { did: { eq: did } } },
    selection: `totalCount\nnodes { actorHandle ${selectFields(briefColumns(subject), collection.typeName, schema)} }`,
  }
}

function isEmpty({ totalCount }: AccountList): boolean {
  return totalCount === 0
}

function listOf(answer: Answer, { collection }: Subject): AccountList {
  return answer[collection.rootField] as AccountList
}

function handleOf(lists: readonly AccountList[]): string | null {
  return lists.flatMap(({ nodes }) => nodes.map(({ actorHandle }) => actorHandle)).find(Boolean) ?? null
}
