/** Reads a corpus for the peers: records of a collection in batches, without those that their lexicon refuses. */
import { createReadStream, globSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

export interface Corpus {
  readonly sources: Source
  readonly articles: Article
  readonly enrichments: Enrichment
}

interface Named {
  readonly uri: string
  readonly did: string
  readonly rkey: string
  readonly indexedAt: string
}

export interface Source extends Named {
  readonly displayName: string | null
  readonly country: string | null
  readonly politicalOrientation: string | null
}

export interface Article extends Named {
  readonly title: string
  readonly description: string | null
  readonly url: string
  readonly source: string
  readonly publishedAt: string | null
  readonly language: string | null
}

export interface Enrichment extends Named {
  readonly article: string
  readonly impactLevel: number | null
  readonly sentiment: string | null
}

type Value = string | number | null

/** What every table of a peer begins with: URI, account, record key and moment of indexing. */
export function namedValues({ uri, did, rkey, indexedAt }: Named): Value[] {
  return [uri, did, rkey, indexedAt]
}

/** A row of articles, in the order of the members, with the peer's own id of the outlet. */
export function articleValues(it: Article, source: number | null): Value[] {
  return [...namedValues(it), it.title, it.description, it.url, source, it.publishedAt, it.language]
}

/** Files are named by what is in them: `articles.jsonl.gz`, or several that begin like that. */
export async function* records<Name extends keyof Corpus>(
  folder: string,
  name: Name,
): AsyncGenerator<Corpus[Name]> {
  const shape: (line: Line) => Corpus[Name] | null = shapes[name]
  for (const file of globSync(join(folder, `${name}*.jsonl.gz`)).sort()) {
    const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) })
    for await (const line of lines) {
      const record = shape(JSON.parse(line))
      if (record !== null) yield record
    }
  }
}

interface Line {
  readonly uri: string
  readonly indexedAt: string
  // biome-ignore lint/suspicious/noExplicitAny: the corpus is trusted to be what its lexicons say, but for URLs.
  readonly value: any
}

const shapes: { readonly [Name in keyof Corpus]: (line: Line) => Corpus[Name] | null } = {
  sources: (line) => ({
    ...named(line),
    displayName: line.value.displayName ?? null,
    country: line.value.country ?? null,
    politicalOrientation: line.value.politicalOrientation ?? null,
  }),
  articles: (line) =>
    isUri(line.value.url)
      ? {
          ...named(line),
          title: line.value.title,
          description: line.value.description ?? null,
          url: line.value.url,
          source: line.value.source.uri,
          publishedAt: instantOf(line.value.publishedAt),
          language: line.value.language ?? null,
        }
      : null,
  enrichments: (line) => ({
    ...named(line),
    article: line.value.article.uri,
    impactLevel: line.value.impactLevel ?? null,
    sentiment: line.value.sentiment ?? null,
  }),
}

function named({ uri, indexedAt }: Line): Named {
  const [, , did = '', , rkey = ''] = uri.split('/')
  return { uri, did, rkey, indexedAt: new Date(indexedAt).toISOString() }
}

function instantOf(value: string | undefined): string | null {
  return value === undefined ? null : new Date(value).toISOString()
}

function isUri(value: string): boolean {
  return /^\w+:\S+$/.test(value)
}
