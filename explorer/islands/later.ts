/** Fetches parts of the page that cost too much for its first request. */
import { localTimes } from './local-times.ts'

/** Milliseconds after which a part is given up, so that those behind it are shown. */
const longest = 30_000

/** A part is shown when those before it are, because it would move if they came later. */
export function laterParts(root: Document): void {
  let shown: Promise<unknown> = Promise.resolve()
  for (const place of root.querySelectorAll<HTMLElement>('[data-later]')) {
    // The link of a part that fails stays.
    const part = fetchPart(place).catch(() => null)
    shown = Promise.all([part, shown])
      .then(([found]) => show(place, found))
      .catch(() => undefined)
      .then(nextFrame)
  }
}

/** A part that appeared and was moved in one frame would count as a shift. */
function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
}

/** Whether the reader comes near the part, is past it or prints: parts cost as much as pages, and many are never seen. */
function near(place: HTMLElement): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        resolve()
      },
      { rootMargin: '1000000px 0px 50%' },
    )
    observer.observe(place)
    addEventListener('beforeprint', () => resolve(), { once: true })
  })
}

async function fetchPart(place: HTMLElement): Promise<HTMLElement | null> {
  await near(place)
  place.ariaBusy = 'true'
  const answer = await fetch(place.dataset['later'] ?? '', { signal: AbortSignal.timeout(longest) })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const part = page.getElementById(place.id)
  // A page that fails after its beginning was sent has a good status.
  const why = page.querySelector('.problem p')
  if (part === null && why !== null) place.prepend(why)
  return part
}

function show(place: HTMLElement, found: HTMLElement | null): void {
  place.ariaBusy = null
  if (found === null) return
  // The room that it needs may be reserved.
  place.style.minHeight = `${place.offsetHeight}px`
  place.replaceChildren(...found.childNodes)
  place.removeAttribute('data-later')
  // Parts above it have moved what the address leads to.
  if (place.matches(':target')) place.scrollIntoView()
  localTimes(place)
}
