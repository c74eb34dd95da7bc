/** What attackers have from a server beforehand: keys that operators made and ended, and parts of its answers. */
import type { Json } from '../reference/shapes.ts'
import type { Given } from './attack.ts'

type Keys = Pick<Given, 'goodKey' | 'revokedKey' | 'endedKey'>

/** `keys` runs `lexigraph keys … --json`. */
export async function createKeys(keys: (...args: readonly string[]) => Promise<string>): Promise<Keys> {
  const made = async (...args: readonly string[]): Promise<{ id: string; key: string }> =>
    JSON.parse(await keys(...args))
  const create = (name: string) => made('create', '--name', name, '--tier', 'research')
  const ended = await create('good')
  const good = await made('rotate', ended.id, '--grace', '0')
  const revoked = await create('revoked')
  await keys('revoke', revoked.id)
  return { goodKey: good.key, revokedKey: revoked.key, endedKey: ended.key }
}

/** `query` gives the data of an operation. */
export async function readGiven(query: (text: string) => Promise<Json>): Promise<Omit<Given, keyof Keys>> {
  const newest = 'first: 2, sortBy: [{field: publishedAt, direction: DESC}]'
  const { articles, sources } = await query(`{
    articles: techServiceNewsArticle(${newest}) { nodes { uri } pageInfo { endCursor } }
    sources: techServiceNewsSource(first: 2) { pageInfo { endCursor } }
  }`)
  return {
    cursor: articles.pageInfo.endCursor,
    otherCursor: sources.pageInfo.endCursor,
    uri: articles.nodes[0].uri,
  }
}
