/** A view in words, for titles of feeds, citations and prompts. */
import { sentencesOf } from '../browse/sentences.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Names } from '../parts/values.ts'
import { shortText } from '../parts/texts.ts'
import type { View } from '../view/view.ts'

const longest = 300

/** `Article: “storm”; Language: German` */
export function viewTitle(
  { search, conditions }: View,
  subject: PageSubject,
  language: Language,
  names?: Names,
): string {
  const parts = [...(search === '' ? [] : [`“${search}”`]), ...sentencesOf(conditions, language, names)]
  const label = subjectLabel(subject, language)
  return shortText(parts.length === 0 ? label : `${label}: ${parts.join('; ')}`, longest)
}
