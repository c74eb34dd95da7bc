/** References of a record itself to one record of another collection, which has a name. */
import { isEntity } from './guesses.ts'
import type { ShownField } from './shown-field.ts'
import type { PageSubject, Subjects } from './subject.ts'

/** What the record belongs to, such as the outlet of an article; null without. */
export function entityField(subject: PageSubject): ShownField | null {
  return namedReferences(subject).find(({ target }) => target !== null && isEntity(target)) ?? null
}

/**
 * The records that belong to those of a collection, such as articles to outlets; null where none do. Records without a
 * title, such as likes, belong to nothing, and what is published, such as a post with comments, is no outlet.
 */
export function membersOf({ collection, roles }: PageSubject, { all }: Subjects) {
  if (/publishedat$/i.test(roles.time)) return null
  for (const holder of all.filter((each) => each.roles.title !== null)) {
    const field = entityField(holder)
    if (field === null || field.target !== collection) continue
    const path = field.properties.join('\n')
    const name = collection.referredBy.find((each) => each.path.join('\n') === path)?.viaField
    if (name !== undefined) return { holder, field, name, count: `${name}_count` }
  }
  return null
}

/** What the record is about, such as the article of an analysis; null without. */
export function aboutField(subject: PageSubject): ShownField | null {
  return namedReferences(subject).find(({ target }) => target !== null && !isEntity(target)) ?? null
}

/** What the record belongs to, or else what the record that it is about does: the outlet of an analysis of an article. */
export function outletField(subject: PageSubject): ShownField | null {
  const about = aboutField(subject)
  const isOfAbout = ({ words, isHidden, many, isArray, target, targetTitle }: ShownField): boolean =>
    words.length === 2 &&
    words[0] === about?.words[0] &&
    !(isHidden || many || isArray || targetTitle === null) &&
    target !== null &&
    isEntity(target)
  return entityField(subject) ?? [...subject.fields.values()].find(isOfAbout) ?? null
}

function namedReferences({ fields, collection }: PageSubject): readonly ShownField[] {
  return [...fields.values()].filter(
    ({ isOwn, isHidden, words, isArray, target, targetTitle }) =>
      isOwn && !isHidden && words.length === 1 && !isArray && target !== collection && targetTitle !== null,
  )
}
