/** Templates of HTML. Every value in a template is escaped, because it becomes an attribute or a text of a node. */
import { html as template } from 'htm/preact'
import { type ComponentChildren, Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** Nodes, texts, or nothing (`null`, `false`). */
export type Html = ComponentChildren

export const html = template as (strings: TemplateStringsArray, ...values: readonly unknown[]) => Html

/** Markup that this program has made itself, such as a chart. Nothing in it may come from a record unescaped. */
export function trusted(tag: string, attributes: Readonly<Record<string, unknown>>, markup: string): Html {
  return h(tag, { ...attributes, dangerouslySetInnerHTML: { __html: markup } })
}

export function toText(content: Html): string {
  return renderToString(h(Fragment, null, content))
}
