/**
 * Chooses a period by dragging over a chart of time. Each column of the chart is a link to its own period; those that
 * the drag begins and ends with have the bounds of the chosen one. Without script, columns and the form do the same.
 */

/** Pixels; less is a click. */
const shortest = 6

export function brush(root: ParentNode): void {
  for (const drawing of root.querySelectorAll<HTMLElement>('.drawing[data-from]')) {
    const { from, to } = drawing.dataset
    if (from === undefined || to === undefined) continue
    for (const chart of drawing.querySelectorAll<SVGSVGElement>('svg.chart')) addBrush(chart, from, to)
  }
}

function addBrush(chart: SVGSVGElement, from: string, to: string): void {
  const columns = [...chart.querySelectorAll<SVGAElement>('a[href]')].filter((link) =>
    address(link).searchParams.has(from),
  )
  let drag: { readonly pointer: number; readonly at: number; isLong: boolean } | null = null
  let wasLong = false
  const status = chart.closest('figure')?.querySelector('.drag') ?? null
  const hint = status?.textContent ?? ''

  chart.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    drag = { pointer: event.pointerId, at: event.clientX, isLong: false }
    wasLong = false
  })
  chart.addEventListener('pointermove', (event) => {
    if (drag === null || event.pointerId !== drag.pointer) return
    if (!drag.isLong && Math.abs(event.clientX - drag.at) >= shortest) {
      drag.isLong = true
      chart.setPointerCapture(event.pointerId)
    }
    if (drag.isLong) show(between(drag.at, event.clientX))
  })
  chart.addEventListener('pointerup', (event) => {
    const chosen = drag?.isLong === true ? between(drag.at, event.clientX) : []
    wasLong = drag?.isLong === true
    stop()
    const [first] = chosen
    const last = chosen.at(-1)
    if (first === undefined || last === undefined) return
    const target = address(first)
    target.searchParams.set(to, address(last).searchParams.get(to) ?? '')
    location.assign(target)
  })
  chart.addEventListener('pointercancel', stop)
  document.addEventListener('keydown', (event) => event.key === 'Escape' && stop())
  // A browser would drag the link, and follow it when the drag ends.
  chart.addEventListener('dragstart', (event) => event.preventDefault())
  chart.addEventListener('click', (event) => wasLong && event.preventDefault(), { capture: true })

  function between(one: number, other: number): readonly SVGAElement[] {
    const [left, right] = one < other ? [one, other] : [other, one]
    return columns.filter((column) => {
      const box = column.getBoundingClientRect()
      return box.right > left && box.left < right
    })
  }

  function show(chosen: readonly SVGAElement[]): void {
    for (const column of columns) column.classList.toggle('chosen', chosen.includes(column))
    const [first, last] = [chosen[0], chosen.at(-1)].map((column) => column && address(column).searchParams)
    const said = first == null || last == null ? hint : `${first.get(from)} – ${last.get(to)}`
    if (status !== null && status.textContent !== said) status.textContent = said
  }

  function stop(): void {
    drag = null
    show([])
  }
}

function address(link: SVGAElement): URL {
  return new URL(link.href.baseVal, location.href)
}
