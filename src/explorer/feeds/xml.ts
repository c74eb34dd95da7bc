/** XML as text: elements whose contents and attributes are escaped. */
import { escapeXml } from '../escape-xml.ts'

export interface XmlElement {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string | undefined>>
  readonly children?: readonly XmlElement[]
  /** Instead of children. */
  readonly text?: string
}

export function toXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${element(root)}\n`
}

function element({ name, attributes = {}, children = [], text }: XmlElement): string {
  const own = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(value ?? '')}"`)
    .join('')
  const inner = text === undefined ? children.map((child) => `\n${element(child)}`).join('') : escapeXml(text)
  return `<${name}${own}>${inner}${children.length > 0 && text === undefined ? '\n' : ''}</${name}>`
}
