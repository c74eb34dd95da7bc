/** An account: its handle, how many records it has in each collection, and the newest of them. */
import { selectFields } from '../fields/record-selection.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import { briefColumns, type ListNode, resultOfNode } from '../lists/list.ts'
import { buildOperation, type Panel } from '../operation.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import { results } from '../parts/results.ts'
import { recordText } from '../parts/values.ts'
import { filteredAddress } from '../record/filtered.ts'
import { problemPage, unknownParameters } from './failure.ts'

const newestOfEach = 3
const mostCollections = 12

interface AccountList {
  readonly totalCount: number
  readonly nodes: readonly (ListNode & { readonly actorHandle: string | null })[]
}

export function accountPage(site: Site, did: string, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const problems = unknownParameters(parameters)
  if (problems.length > 0) return problemPage(problems, did, request)
  const subjects = site.subjects.all.slice(0, mostCollections)
  return {
    status: 200,
    title: did,
    operation: buildOperation(
      site.schema,
      'Account',
      subjects.map((subject) => panel(did, subject, site)),
    ),
    isIndexed: true,
    known(answer) {
      const lists = subjects.map((subject) => listOf(answer, subject))
      if (lists.every(({ totalCount }) => totalCount === 0)) return { status: 404, title: text.account.none }
      return { status: 200, title: handleOf(lists) ?? did }
    },
    render(answer) {
      const lists = subjects.map((subject) => listOf(answer, subject))
      const handle = handleOf(lists)
      const isEmpty = lists.every(({ totalCount }) => totalCount === 0)
      return html`
        <p class="kind">${text.record.account}</p>
        <h1>${recordText(handle ?? did)}</h1>
        ${handle !== null && html`<p><bdi class="uri">${did}</bdi></p>`}
        ${isEmpty && html`<p>${text.account.none}. ${text.record.notIndexedHint}</p>`}
        ${subjects.map((subject, at) => section(subject, lists[at] as AccountList))}
      `
    },
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

function listOf(answer: Answer, { collection }: Subject): AccountList {
  return answer[collection.rootField] as AccountList
}

function handleOf(lists: readonly AccountList[]): string | null {
  return lists.flatMap(({ nodes }) => nodes.map(({ actorHandle }) => actorHandle)).find(Boolean) ?? null
}
