/** Turns lexicon names into GraphQL names. Pure text functions; they know nothing about what the names denote. */

/** `tech.service.news.article` to `TechServiceNewsArticle`; `a.b.c#def` to `ABCDef`. */
export function typeNameOf(origin: string): string {
  return origin
    .replace(/#main$/, '')
    .split(/[.\-#]/)
    .map(capitalise)
    .join('')
    .replace(/[^_0-9A-Za-z]/g, '_')
}

/** `tech.service.news.article` to `techServiceNewsArticle`. */
export function rootFieldOf(nsid: string): string {
  const name = typeNameOf(nsid)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** The nearest GraphQL name of a property: invalid characters become `_`; GraphQL reserves a leading `__`. */
export function fieldNameOf(property: string): string {
  const name = property.replace(/[^_0-9A-Za-z]/g, '_').replace(/^__+/, '_')
  // Sort and group fields are enum values, and GraphQL forbids these names for enum values.
  if (['true', 'false', 'null'].includes(name)) return `${name}_`
  // With a suffix, such as the `_day` of a group or the `_` of a duplicate, `_` would start with the reserved `__`.
  if (name === '_' || name === '') return 'field_'
  return /^[0-9]/.test(name) ? `_${name}` : name
}

/** `techServiceNewsArticle` and `['source']` to `techServiceNewsArticleViaSource`. */
export function viaFieldOf(rootField: string, path: readonly string[]): string {
  return `${rootField}Via${path.map((part) => capitalise(fieldNameOf(part))).join('')}`
}

/** `article` of `tech.service.news.article`. */
export function lastPart(nsid: string): string {
  return nsid.slice(nsid.lastIndexOf('.') + 1)
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
