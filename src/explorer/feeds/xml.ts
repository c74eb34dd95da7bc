/** XML as text: elements whose contents and attributes are escaped. */

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

/** Characters that XML 1.0 forbids, even as references, become replacement characters. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"'\r\t\n]/g, (character) =>
      character === '\n' || character === '\t' ? character : `&#${character.charCodeAt(0)};`,
    )
}
