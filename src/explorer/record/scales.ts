/** Numbers on their scales. */
import type { Constraints } from '../../schema/model/model.ts'
import { labelIn, type Scale } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'

/** On a wider scale, a bar says nothing. */
const widest = 1_000

/** That of `display.json`, or else of the lexicon; null without bounds, or with very wide ones. `name`: of the member. */
export function scaleOf(subject: PageSubject, name: string, constraints: Constraints | null): Scale | null {
  const given = subject.display.fields.get(name)?.scale ?? null
  const [min, max] = [given?.min ?? constraints?.minimum ?? null, given?.max ?? constraints?.maximum ?? null]
  if (min === null || max === null || max <= min || max - min > widest) return null
  return { min, max, low: given?.low ?? {}, high: given?.high ?? {} }
}

/** From the zero of a scale that has one inside, otherwise from its beginning. */
function bar(value: number, min: number, max: number, { direction }: Language): Html {
  const at = (number: number) => Math.min(Math.max(((number - min) / (max - min)) * 100, 0), 100)
  const [zero, end] = [min < 0 && max > 0 ? at(0) : 0, at(value)]
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <g transform=${direction === 'rtl' ? 'translate(100) scale(-1 1)' : undefined}>
      <rect x=${Math.min(zero, end)} width=${Math.abs(end - zero)} height="10" />
      ${zero > 0 && html`<path d=${`M${zero} 0V10`} />`}
    </g>
  </svg>`
}

/** `text`: the number in words. In short, without what the ends of the scale mean. */
export function scaled(
  value: number,
  text: string,
  { min, max, low, high }: Scale,
  isShort: boolean,
  language: Language,
): Html {
  const { record } = language.text
  const words =
    min === 0 || min === 1
      ? record.ofMost(text, language.number(max))
      : record.between(text, language.number(min), language.number(max))
  const ends = [[min, low] as const, [max, high] as const].flatMap(([at, labels]): Html[] => {
    const meaning = isShort ? null : labelIn(labels, language)
    return meaning === null
      ? []
      : [html` <span><bdi>${language.number(at)}</bdi>: <bdi>${meaning}</bdi></span>`]
  })
  return html`<span class="scale">${bar(value, min, max, language)} <span>${words}</span>${ends.length > 0 && html`<span class="ends">${ends}</span>`}</span>`
}
