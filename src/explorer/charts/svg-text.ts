/**
 * Writes a drawing as SVG text. It writes only known elements and attributes, and escapes every value, so that a label
 * stays a label. Colours are written as classes for pages, whose policy forbids styles, and as attributes for files.
 */
import { escapeXml } from '../escape-xml.ts'

/** What is read of a node of a document. */
export interface SvgNode {
  readonly nodeType: number
  readonly localName?: string
  readonly textContent: string | null
  readonly childNodes: Iterable<SvgNode>
  readonly attributes?: Iterable<{ readonly name: string; readonly value: string }>
}

export type Target = 'page' | 'file'

/** The first six are told apart without seeing red, green or blue, the next two by their darkness; the last is of all others. */
export const palette = [
  '#0b57a4',
  '#c65102',
  '#007a5a',
  '#a83f86',
  '#866a00',
  '#3b9bb8',
  '#331166',
  '#770011',
  '#5a6470',
] as const

const elements = new Set('g path rect line circle text tspan a title'.split(' '))
const attributes = new Set(
  `transform d x y x1 x2 y1 y2 width height r cx cy dx dy rx fill stroke fill-opacity stroke-opacity stroke-width
  stroke-dasharray stroke-linecap stroke-linejoin text-anchor font-variant aria-hidden`.split(/\s+/),
)

export function childrenText(node: SvgNode, target: Target): string {
  let text = ''
  for (const child of node.childNodes) text += nodeText(child, target)
  return text
}

function nodeText(node: SvgNode, target: Target): string {
  if (node.nodeType === 3) return escapeXml(node.textContent ?? '')
  const name = node.localName ?? ''
  if (node.nodeType !== 1 || !elements.has(name)) return ''
  const inner = childrenText(node, target)
  if (name === 'a') return target === 'file' ? inner : link(node, inner)
  const all = [...(node.attributes ?? [])].filter(({ name: each }) => attributes.has(each))
  const coloured = target === 'page' ? all.filter(({ value }) => series.test(value)) : []
  const classes = coloured.map((each) => `${each.name}-${series.exec(each.value)?.[1]}`).join(' ')
  const rest = all
    .filter((each) => !coloured.includes(each))
    .map(({ name: each, value }) => ` ${each}="${escapeXml(colour(rounded(value)))}"`)
  const written = (classes === '' ? '' : ` class="${classes}"`) + rest.join('')
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`
}

/** Links within this host. The keyboard reaches the same addresses in the table below the chart. */
function link(node: SvgNode, inner: string): string {
  const href = [...(node.attributes ?? [])].find(({ name }) => name === 'href')?.value ?? ''
  if (!/^\/(?!\/)/.test(href)) return inner
  const label = titleOf(node)
  return `<a href="${escapeXml(href)}" tabindex="-1" rel="nofollow"${label === '' ? '' : ` aria-label="${escapeXml(label)}"`}>${inner}</a>`
}

function titleOf(node: SvgNode): string {
  for (const child of node.childNodes) {
    if (child.localName === 'title') return child.textContent ?? ''
    const found = titleOf(child)
    if (found !== '') return found
  }
  return ''
}

/** A colour of the palette, by its number. */
const series = /^series-(\d)$/

function colour(value: string): string {
  const number = series.exec(value)?.[1]
  return number === undefined ? value : (palette[Number(number)] ?? palette[0])
}

/** Hundredths of a pixel are exact enough. */
function rounded(value: string): string {
  return value.replaceAll(/-?\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 100) / 100))
}
