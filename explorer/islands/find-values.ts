/** Looks for values of a field as the reader types: among those of the page, then among all. */
import { foldText } from '../../src/util/text/fold.ts'

/** Milliseconds after the last key. */
const pause = 400

export function findValues(root: Document): void {
  const input = root.querySelector<HTMLInputElement>('input[data-finds]')
  const { form } = input ?? {}
  if (input === null || form === null || form === undefined) return
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = new AbortController()
  input.addEventListener('input', () => {
    hideOthers(root, input.value)
    clearTimeout(timer)
    timer = setTimeout(() => {
      asked.abort()
      asked = new AbortController()
      ask(root, form, input, asked.signal).catch(() => undefined)
    }, pause)
  })
}

function hideOthers(root: Document, text: string): void {
  const wanted = foldText(text)
  for (const item of root.querySelectorAll<HTMLElement>('#values li'))
    item.hidden = !foldText(item.querySelector('.name')?.textContent ?? '').includes(wanted)
}

/** The page that the form leads to has the values; the address becomes that of the page. */
async function ask(
  root: Document,
  form: HTMLFormElement,
  input: HTMLInputElement,
  signal: AbortSignal,
): Promise<void> {
  const values = root.querySelector('#values')
  // All values are there, unless the list is cut or was already looked through.
  if (values === null || !(values.hasAttribute('data-cut') || root.location.search.includes('find='))) return
  const address = new URL(form.action)
  for (const [name, value] of new FormData(form)) address.searchParams.append(name, String(value))
  const answer = await fetch(address, { signal })
  if (!answer.ok) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const found = page.querySelector('#values')
  if (found === null || signal.aborted) return
  values.replaceWith(found)
  history.replaceState(null, '', address)
  hideOthers(root, input.value)
}
