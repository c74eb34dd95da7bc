/** References of a record itself to one record of another collection, which has a name. */
import { isEntity } from './guesses.ts'
import type { ShownField } from './shown-field.ts'
import type { PageSubject } from './subject.ts'

/** What the record belongs to, such as the outlet of an article; null without. */
export function entityField(subject: PageSubject): ShownField | null {
  return namedReferences(subject).find(({ target }) => target !== null && isEntity(target)) ?? null
}

/** What the record is about, such as the article of an analysis; null without. */
export function aboutField(subject: PageSubject): ShownField | null {
  return namedReferences(subject).find(({ target }) => target !== null && !isEntity(target)) ?? null
}

function namedReferences({ fields, collection }: PageSubject): readonly ShownField[] {
  return [...fields.values()].filter(
    ({ isOwn, isHidden, words, isArray, target, targetTitle }) =>
      isOwn && !isHidden && words.length === 1 && !isArray && target !== collection && targetTitle !== null,
  )
}
