/** Texts of records: paragraphs, and the beginnings of long ones. */
import { html, type Html } from '../html.ts'

/** The text, or its beginning with an ellipsis. A cut through a character of two units leaves a lone half: removed. */
export function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Each paragraph has the direction of its own first letters. */
export function paragraphs(text: string, language: string | null, most: number): Html {
  return html`<div class="text" lang=${language ?? undefined}>
    ${shortText(text, most)
      .split(/\r?\n[ \t]*\r?\n\s*/)
      .filter((part) => part.trim() !== '')
      .slice(0, mostParagraphs)
      .map((part) => html`<p dir="auto">${part}</p>`)}
  </div>`
}

const mostParagraphs = 200
