/** Shows times in the reader's zone, and says which it is; the time in UTC stays as a title. */
export function localTimes(root: ParentNode): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  const { timeZone } = format.resolvedOptions()
  for (const note of root.querySelectorAll<HTMLElement>('p[data-zone]'))
    note.textContent = (note.dataset['zone'] ?? '').replace('{zone}', timeZone)
  for (const element of root.querySelectorAll('time')) {
    const instant = Date.parse(element.dateTime)
    // A date is the same in every zone.
    if (Number.isNaN(instant) || !element.dateTime.includes('T')) continue
    const isNaming = element.dataset['zone'] !== undefined
    element.title = isNaming ? element.textContent : `${element.textContent} UTC`
    element.textContent = isNaming ? `${format.format(instant)} (${timeZone})` : format.format(instant)
  }
}
