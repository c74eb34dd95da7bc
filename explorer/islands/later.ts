/** Fetches parts of the page that cost too much for its first request. The room that they need is reserved. */
import { localTimes } from './local-times.ts'

export function laterParts(root: Document): void {
  // The link of the part stays.
  for (const place of root.querySelectorAll<HTMLElement>('[data-later]')) load(place).catch(() => undefined)
}

async function load(place: HTMLElement): Promise<void> {
  place.ariaBusy = 'true'
  const answer = await fetch(place.dataset['later'] ?? '').finally(() => (place.ariaBusy = null))
  if (!answer.ok) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const found = page.getElementById(place.id)
  if (found === null) return
  place.style.minHeight = `${place.offsetHeight}px`
  place.replaceChildren(...found.childNodes)
  localTimes(place)
}
