/** Checks that hostile records and addresses put no script or foreign markup into a page. */
import assert from 'node:assert/strict'

const ownScript = /^<script type="module" src="\/explorer\/[^"]*"$/
const ownImage = /^<img (?:class="[^"]*" )?src="(?:https:\/\/pictures\.example\/|\/explorer\/)/

/** No script, handler, style or link is in the page that a record or an address has made. */
export function assertHarmless(html: string): void {
  for (const [tag] of html.matchAll(/<[a-z!/?](?:"[^"]*"|'[^']*'|[^>"'])*>/gi)) {
    const bare = tag.replaceAll(/"[^"]*"/g, '""')
    assert.doesNotMatch(
      tag,
      /^<(?:style|iframe|object|embed|base(?! target="_blank"\/>)|foreignObject|animate|x-evil)\b/i,
    )
    if (/^<script\b/i.test(tag)) assert.match(tag.slice(0, -1), ownScript)
    if (/^<img\b/i.test(tag)) assert.match(tag, ownImage)
    assert.doesNotMatch(bare, /\s(?:on\w+|style|srcdoc)(?:=|\s|>)/i, tag)
    assert.doesNotMatch(tag, /(?:href|src|action)="\s*(?:javascript|data:(?!,")|vbscript)/i)
  }
}
