/** Templates of HTML. Every value in a template is escaped, because it becomes an attribute or a text of a node. */
import htm from 'htm'
import { type ComponentChildren, Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** Nodes, texts, or nothing (`null`, `false`). */
export type Html = ComponentChildren

type Attributes = Readonly<Record<string, unknown>>
type Template = (strings: TemplateStringsArray, ...values: readonly unknown[]) => Html

// Its types are those of another kind of module.
export const html: Template = (htm as unknown as { bind(make: typeof element): Template }).bind(element)

/** A link whose address is null is its content alone. */
function element(tag: string, attributes: Attributes | null, ...content: Html[]): Html {
  if (tag !== 'a' || attributes?.['href'] !== null) return h(tag, attributes, ...content)
  return h('span', { class: attributes['class'], title: attributes['title'] }, ...content)
}

/** A link to a view; its content alone where no address has the view. */
export function linked(address: string | null, content: Html): Html {
  return address === null ? content : html`<a href=${address} rel="nofollow">${content}</a>`
}

/** Markup that this program has made itself, such as a chart. Nothing in it may come from a record unescaped. */
export function trusted(tag: string, attributes: Attributes, markup: string): Html {
  return h(tag, { ...attributes, dangerouslySetInnerHTML: { __html: markup } })
}

export function toText(content: Html): string {
  return renderToString(h(Fragment, null, content))
}
