/** Tells that there are new records. The list stays as it is until the reader asks for them. */

/** Milliseconds. */
const interval = 60_000

export function freshRecords(root: Document): void {
  const list = root.querySelector<HTMLElement>('[data-new]')
  const total = totalOf(root)
  if (list === null || total === null) return
  let tag = ''
  const timer = setInterval(() => {
    if (root.visibilityState === 'visible') compare().catch(() => clearInterval(timer))
  }, interval)

  async function compare(): Promise<void> {
    const seen = await look(root)
    if (list === null || total === null || seen === null || seen.tag === tag) return
    tag = seen.tag
    if (seen.total > total) announce(list, seen.total - total)
  }
}

/** The same page without facets, which is cheap; the browser sends the tag of the one that it keeps. */
async function look({
  location,
}: Document): Promise<{ readonly tag: string; readonly total: number } | null> {
  const address = new URL(location.href)
  address.searchParams.set('facets', '-')
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`The page answers ${answer.status}.`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const total = totalOf(page)
  return total === null ? null : { tag: answer.headers.get('etag') ?? '', total }
}

function totalOf(page: Document): number | null {
  const text = page.querySelector<HTMLElement>('[data-total]')?.dataset['total']
  return text === undefined ? null : Number(text)
}

/** `data-new` has the forms of the sentence by the categories of plurals. */
function announce(list: HTMLElement, count: number): void {
  const language = document.documentElement.lang
  const forms = JSON.parse(list.dataset['new'] ?? '{}') as Record<string, string>
  const form = forms[new Intl.PluralRules(language).select(count)] ?? forms['other'] ?? '{n}'
  const button = list.querySelector<HTMLButtonElement>('.fresh') ?? createButton()
  button.textContent = form.replace('{n}', new Intl.NumberFormat(language).format(count))
  list.prepend(button)
}

function createButton(): HTMLButtonElement {
  const button = document.createElement('button')
  button.className = 'fresh'
  button.type = 'button'
  button.addEventListener('click', () => location.reload())
  return button
}
