/** Bars on a logarithmic scale, a group for each question, as SVG that is readable on light and dark pages alike. */

export interface Group {
  readonly name: string
  readonly bars: readonly Bar[]
}

interface Bar {
  readonly value: number
  readonly label: string
  /** Index into the legend. */
  readonly series: number
}

const colors = ['#2563eb', '#93c5fd', '#7c3aed', '#ea580c', '#ca8a04', '#6b7280', '#9ca3af'] as const
const [left, right, top, barHeight, gap] = [110, 90, 64, 9, 10] as const
const width = 860

export function plot(title: string, series: readonly string[], groups: readonly Group[]): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value)).filter((value) => value > 0)
  const [low, high] = [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ]
  const x = (value: number): number =>
    left + ((Math.log10(value) - low) / Math.max(1, high - low)) * (width - left - right)
  const parts: string[] = []
  let y: number = top
  for (const { name, bars } of groups) {
    const middle = y + (bars.length * barHeight) / 2 + 4
    parts.push(`<text x="${left - 8}" y="${round(middle)}" text-anchor="end">${escape(name)}</text>`)
    for (const { value, label, series: index } of bars) {
      const length = Math.max(1, x(value) - left)
      parts.push(
        `<rect x="${left}" y="${round(y)}" width="${round(length)}" height="${barHeight - 1}" fill="${colorOf(index)}"/>`,
        `<text class="value" x="${round(left + length + 4)}" y="${round(y + barHeight - 2)}">${escape(label)}</text>`,
      )
      y += barHeight
    }
    y += gap
  }
  const height = y + 24
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
  const axis = ticks.map(
    (tick) =>
      `<line x1="${round(x(tick))}" x2="${round(x(tick))}" y1="${top - 6}" y2="${y}"/><text x="${round(x(tick))}" y="${y + 14}" text-anchor="middle">${tick.toLocaleString('en', { maximumFractionDigits: 6 })}</text>`,
  )
  const legend = series.map((name, index) => {
    const [column, line] = [index % 4, Math.floor(index / 4)]
    const at = left + column * 185
    return `<rect x="${at}" y="${26 + line * 15}" width="10" height="10" fill="${colorOf(index)}"/><text x="${at + 14}" y="${35 + line * 15}">${escape(name)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<style>text{font:11px system-ui,sans-serif;fill:#374151}.title{font-weight:600;font-size:13px}.value{font-size:8px}line{stroke:#d1d5db}</style>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text class="title" x="8" y="16">${escape(title)}</text>
${legend.join('\n')}
${axis.join('\n')}
${parts.join('\n')}
</svg>
`
}

function colorOf(index: number): string {
  return colors[index % colors.length] ?? '#000000'
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
