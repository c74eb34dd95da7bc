/** Shows times in the reader's zone; the time in UTC stays as a title. */
export function localTimes(root: ParentNode): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  for (const element of root.querySelectorAll('time')) {
    const instant = Date.parse(element.dateTime)
    if (Number.isNaN(instant)) continue
    element.title = `${element.textContent} UTC`
    element.textContent = format.format(instant)
  }
}
