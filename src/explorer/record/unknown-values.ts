/** Values of which the lexicon says nothing: objects, files, links by CID, bytes, and any other JSON. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { isWebAddress, recordText, shortText, webLink } from '../parts/values.ts'

const deepest = 5
const mostMembers = 50
const longest = 2_000

export function unknownValue(value: unknown, language: Language, depth = 0): Html {
  const { text } = language
  if (value === null || value === undefined) return html`<span class="none">–</span>`
  if (typeof value === 'boolean') return value ? text.yes : text.no
  if (typeof value === 'number') return language.number(value)
  if (typeof value === 'string') {
    const short = recordText(shortText(value, longest))
    return isWebAddress(value) ? webLink(value, short) : short
  }
  if (typeof value !== 'object') return recordText(String(value))
  if (depth >= deepest) return html`<code>${shortText(JSON.stringify(value), longest)}</code>`
  if (Array.isArray(value))
    return html`<ul class="elements">
      ${value.slice(0, mostMembers).map((each) => html`<li>${unknownValue(each, language, depth + 1)}</li>`)}
      ${value.length > mostMembers && html`<li class="none">${text.record.more(language.number(value.length - mostMembers))}</li>`}
    </ul>`
  return special(value, language) ?? members(value, language, depth)
}

function members(value: object, language: Language, depth: number): Html {
  const entries = Object.entries(value)
  return html`<dl class="fields">
    ${entries
      .slice(0, mostMembers)
      .map(
        ([name, each]) =>
          html`<div><dt>${recordText(shortText(name, 100))}</dt><dd>${unknownValue(each, language, depth + 1)}</dd></div>`,
      )}
  </dl>${entries.length > mostMembers && html`<p class="none">${language.text.record.more(language.number(entries.length - mostMembers))}</p>`}`
}

/** The forms that AT Protocol has for files, links and bytes. */
function special(value: object, language: Language): Html {
  const { $type, $link, $bytes, ref, mimeType, size } = value as Readonly<Record<string, unknown>>
  if (typeof $link === 'string') return html`<code class="uri">${shortText($link, 200)}</code>`
  if (typeof $bytes === 'string')
    return html`<span>${language.text.record.bytes(language.number(Math.floor(($bytes.replace(/=+$/, '').length * 3) / 4)))} <code class="uri">${shortText($bytes, 60)}</code></span>`
  if ($type !== 'blob') return null
  const cid = typeof ref === 'object' && ref !== null ? (ref as { $link?: unknown }).$link : undefined
  return html`<span>
    ${language.text.record.file} ${typeof mimeType === 'string' && recordText(shortText(mimeType, 100))}
    ${typeof size === 'number' && html`, ${language.text.record.bytes(language.number(size))}`}
    ${typeof cid === 'string' && html` <code class="uri">${shortText(cid, 200)}</code>`}
  </span>`
}
