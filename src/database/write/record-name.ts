/** Names of records: the parts of an AT-URI. */

export interface RecordName {
  readonly did: string
  readonly collection: string
  readonly rkey: string
}

/** Null when the URI does not name a record. */
export function recordNameOf(uri: string | null): RecordName | null {
  const [, did, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
  return did === undefined || collection === undefined || rkey === undefined
    ? null
    : { did, collection, rkey }
}

export function uriOf(name: RecordName): string {
  return repoCollectionUri(name) + name.rkey
}

/** The DID of a URI, whatever follows it. */
export function accountOf(uri: string): string {
  return /^at:\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}

/** The part of a URI that all records of one repository and collection share. */
export function repoCollectionUri({ did, collection }: Pick<RecordName, 'did' | 'collection'>): string {
  return `at://${did}/${collection}/`
}
