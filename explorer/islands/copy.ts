/** Adds a button that copies the text to what has `data-copy`, the name of the button. */
export function copyButtons(root: ParentNode): void {
  // Not there on pages without encryption.
  if (navigator.clipboard === undefined) return
  for (const source of root.querySelectorAll<HTMLElement>('[data-copy]')) {
    const { copy = '', copied = '' } = source.dataset
    const shown = { type: 'button', className: 'copy', textContent: copy }
    const button = Object.assign(document.createElement('button'), shown)
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(source.textContent ?? '').then(
        () => (button.textContent = copied),
        () => getSelection()?.selectAllChildren(source),
      )
    })
    button.addEventListener('blur', () => (button.textContent = copy))
    source.before(button)
  }
}
