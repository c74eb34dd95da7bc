/** Keys: `/` for the search, `j` and `k` through the results, `?` for the list of keys. */
export function keyboard(root: Document): void {
  const help = root.querySelector<HTMLDialogElement>('#keys')
  const keys = new Map([
    ['/', () => focus(root.querySelector<HTMLElement>('[data-key="/"]'))],
    ['j', () => focus(neighbour(root, 1))],
    ['k', () => focus(neighbour(root, -1))],
    ['?', () => help?.open === false && help.showModal()],
  ])
  root.addEventListener('keydown', (event) => {
    const act = keys.get(event.key)
    if (!act || event.ctrlKey || event.metaKey || event.altKey || isEditing(event.target)) return
    act()
    event.preventDefault()
  })
}

function isEditing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

function focus(element: HTMLElement | null | undefined): void {
  element?.focus()
  element?.scrollIntoView({ block: 'nearest' })
}

/** The link of the result before or after the one that has the focus; the first one if none has it. */
function neighbour(root: Document, step: 1 | -1): HTMLElement | undefined {
  const links = [...root.querySelectorAll<HTMLElement>('.result h3 a, .records tbody tr > :first-child a')]
  const current = root.activeElement?.closest('.result, tr')
  const at = links.findIndex((link) => link.closest('.result, tr') === current)
  return links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + step))]
}
