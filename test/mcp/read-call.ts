/** Arguments of the agents' tools over news, in the terms of the reference evaluator. */
import type { Measured } from '../reference/groups/measures.ts'
import type { Where } from '../reference/matches.ts'
import type { SortField } from '../reference/order.ts'
import type { AggregateArguments, ListArguments } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'

/** Fields in which a text is looked for, lists of texts, and lists of objects. */
const texts = ['title', 'section', 'displayName', 'text']
const lists = ['topics', 'tags']
const objects = ['entities', 'claims', 'authors']
/** What refers to a record. */
const back: Json = { enrichment: 'techServiceNewsEnrichmentViaArticle' }
const references = ['source', 'article', 'duplicateOf']
const names: Json = { p: 'PERCENTILE', distinct: 'COUNT_DISTINCT' }
const day = 86_400_000

export type Given = AggregateArguments & ListArguments & { readonly collection: string }

export function readCall(args: Json, now: Date): Given {
  const { collection, search, filters = {}, since, until, by = [], order, min_count: minCount } = args
  const time = collection === 'article' ? 'publishedAt' : 'createdAt'
  const window = {
    ...(since !== undefined && { gte: rangeOf(since, now)[0] }),
    ...(until !== undefined && { lt: rangeOf(until, now)[1] }),
  }
  const filtered = whereOf(filters, now)
  const where = time in filtered ? { AND: [filtered, { [time]: window }] } : { ...filtered, [time]: window }
  const isSeries = by.length === 1 && by[0].includes('At:')
  const [, interval] = /:(\d+)/.exec(by.join(' ')) ?? []
  const measure = order?.replace('-', '')
  const ranking = { direction: order?.startsWith('-') ? 'DESC' : 'ASC', nulls: 'LAST' } as const
  return {
    collection: `tech.service.news.${collection}`,
    ...(search !== undefined && { search }),
    where: Object.keys(window).length === 0 ? filtered : where,
    ...(args['fill'] === true && { fill: true }),
    sortBy: sortOf(args, time),
    groupBy: by.map(groupOf),
    ...(interval !== undefined && { interval: Number(interval) }),
    ...(args['time_zone'] !== undefined && { timeZone: args['time_zone'] }),
    ...(args['unusual'] !== undefined
      ? { significant: { against: whereOf(args['unusual'], now), minCount } }
      : minCount !== undefined && { having: [{ measure: 'COUNT', operator: 'GTE', value: minCount }] }),
    ...(args['share'] !== undefined && { numerator: whereOf(args['share'], now) }),
    ...(measure === 'share' && { rankBy: { measure: 'SHARE', ...ranking } }),
    ...(measure?.includes(':') && { rankBy: { ...readMeasure(measure), ...ranking } }),
    ...((order === 'key' || (order === undefined && isSeries)) && { orderBy: 'KEY_ASC' }),
    limit: 10_000,
  }
}

export function groupOf(path: string): string {
  return path.replace(/:\d+$/, '').replaceAll(/[.:]/g, '_')
}

/** Such as "avg:impactLevel", "p90:impactLevel", "max:enrichment" or "avg:article.publishedAt..createdAt". */
export function readMeasure(text: string): Exclude<Measured, { measure: 'COUNT' | 'SHARE' | 'TOTAL' }> {
  const [name = '', path = ''] = text.split(':')
  const [from = '', to] = path.split('..').map(groupOf)
  if (to !== undefined) return { measure: name === 'avg' ? 'AVG_DURATION' : 'MEDIAN_DURATION', from, to }
  const field = path in back ? `${back[path]}_count` : from
  if (/^p\d/.test(name)) return { measure: 'PERCENTILE', field, p: Number(name.slice(1)) / 100 }
  return { measure: names[name] ?? name.toUpperCase(), field }
}

function sortOf({ search, sort }: Json, time: string): readonly SortField[] {
  if (sort !== undefined)
    return [{ field: sort.replace('-', ''), direction: sort.startsWith('-') ? 'DESC' : 'ASC', nulls: 'LAST' }]
  return [{ field: search === undefined ? time : 'RELEVANCE', direction: 'DESC' }]
}

/** All filters hold. */
export function whereOf(filters: Json, now: Date): Where {
  const wheres = Object.entries(filters).map(([path, value]) => conditionOf(path.split('.'), value, now))
  const [first = {}, ...others] = wheres
  const isApart = new Set(wheres.flatMap(Object.keys)).size === wheres.length
  return isApart ? Object.assign({}, ...wheres) : { AND: [first, ...others] }
}

function conditionOf([name = '', ...rest]: readonly string[], value: Json, now: Date): Where {
  if (name in back) {
    if (typeof value === 'string' && rest.length === 0) return { [back[name]]: { [value]: {} } }
    return { [back[name]]: { some: conditionOf(rest, value, now) } }
  }
  if (rest.length > 0) {
    const inside = conditionOf(rest, value, now)
    return { [name]: objects.includes(name) ? { some: inside } : inside }
  }
  if (value === null || value.ne === null) return { [name]: { isNull: value === null } }
  if (references.includes(name)) return { [name]: targetOf(value) }
  if (name.endsWith('At') && typeof value === 'string') {
    const [gte, lt] = rangeOf(value, now)
    return { [name]: { gte, lt } }
  }
  if (name.endsWith('At')) return { [name]: { gte: rangeOf(value.gte, now)[0] } }
  if (typeof value === 'object' && !Array.isArray(value)) return { [name]: value }
  if (name === 'isCurrent') return { [name]: value }
  const any = [value].flat()
  if (texts.includes(name)) return { OR: any.map((contains) => ({ [name]: { contains } })) }
  return { [name]: { [lists.includes(name) ? 'hasAny' : 'in']: any } }
}

function targetOf(value: Json): Where {
  const any: readonly string[] = [value.all ?? value].flat()
  return any[0]?.startsWith('at:') ? { uri: { in: any } } : { displayName: { in: any } }
}

/** From a moment until before another, of a day, a month, a year, the last hours or now. */
function rangeOf(text: string, now: Date): readonly [from: string, until: string] {
  const iso = (time: number) => new Date(time).toISOString()
  const [, count] = /^last (\d+) hours$/.exec(text) ?? []
  if (count !== undefined) return [iso(now.getTime() - (Number(count) * day) / 24), iso(now.getTime() + 1)]
  if (text === 'now') return [now.toISOString(), iso(now.getTime() + 1)]
  const [year = 0, month, date] = text.split('-').map(Number)
  const start = Date.UTC(year, (month ?? 1) - 1, date ?? 1)
  if (date !== undefined) return [iso(start), iso(start + day)]
  return [iso(start), iso(month === undefined ? Date.UTC(year + 1, 0) : Date.UTC(year, month))]
}
