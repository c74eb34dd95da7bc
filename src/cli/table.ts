import { grouped } from '../util/text/counted.ts'

/** A table for terminals; numbers are right-aligned, with commas between thousands. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const text = (cell: string | number): string =>
    typeof cell === 'number' ? grouped(cell) : cell.replaceAll(/\s+/g, ' ')
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => text(row[column] ?? '').length)),
  )
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return typeof cell === 'number' ? text(cell).padStart(width) : text(cell).padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [headings, ...rows].map((cells) => `${line(cells)}\n`).join('')
}

/** From milliseconds. */
export function roundedSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}
