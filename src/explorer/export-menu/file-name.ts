/** What files are called: by their content. */
import { recordKey } from '../../util/text/record-key.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Names } from '../parts/values.ts'
import type { Condition } from '../view/conditions.ts'
import type { View } from '../view/view.ts'

const longest = 100

/** `articles-climate-en-2023-by-week`, in English but for `names`. `more`: what the file shows of the records. */
export function fileName(
  { search, conditions }: View,
  subject: PageSubject,
  more: readonly string[] = [],
  names?: Names,
): string {
  const label = subjectLabel(subject, { tag: 'en' })
  const year = wholeYear(conditions, subject)
  const parts = conditions
    .filter(({ field }) => year === null || field.name !== subject.roles.time)
    .flatMap((condition) => partsOf(condition, names))
  return [label, search, ...parts, ...(year === null ? [] : [year]), ...more]
    .join(' ')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^[-\p{M}]+/gu, '')
    .slice(0, longest)
    .toWellFormed()
    .replace(/[-\uFFFD]+$/, '')
}

function partsOf({ field, operator, values }: Condition, names?: Names): readonly string[] {
  const shown = values.map(
    (value) => names?.get(value) ?? (value.startsWith('at://') ? recordKey(value) : value),
  )
  if (operator === 'is') return shown
  if (operator === 'missing') return [values[0] === '1' ? 'without' : 'with', field.name]
  return field.type.kind === 'datetime' ? [operator, ...shown] : [field.name, operator, ...shown]
}

/** `2023`, where that is the period. */
function wholeYear(conditions: readonly Condition[], { roles }: PageSubject): string | null {
  const times = conditions.filter(({ field }) => field.name === roles.time)
  const [from, to] = (['from', 'to'] as const).map(
    (operator) => times.find((each) => each.operator === operator)?.values[0] ?? '',
  )
  const year = from?.slice(0, 4) ?? ''
  return times.length === 2 && from === `${year}-01-01` && to === `${year}-12-31` ? year : null
}
