/** The little that is used of the two packages, so that types are checked where they are not installed. */
declare module '@atproto/pds' {
  export class PDS {
    static fromEnv(settings: Readonly<Record<string, unknown>>): Promise<PDS>
    readonly ctx: {
      readonly actorStore: {
        exists(did: string): Promise<boolean>
        read<Result>(did: string, read: (store: ActorStore) => Promise<Result>): Promise<Result>
      }
    }
    start(): Promise<unknown>
    destroy(): Promise<void>
  }

  interface ActorStore {
    readonly record: {
      listCollections(): Promise<readonly string[]>
      /** `limit` is SQLite's: -1 is none. */
      listRecordsForCollection(options: {
        readonly collection: string
        readonly limit: number
        readonly reverse: boolean
      }): Promise<readonly StoredRecord[]>
    }
  }

  export interface StoredRecord {
    readonly uri: string
    readonly cid: string
    readonly value: import('@atproto/lex-data').LexValue
  }
}

declare module '@did-plc/server' {
  export class Database {
    private constructor()
    /** In memory. */
    static mock(): Database
  }

  export class PlcServer {
    static create(options: { readonly db: Database; readonly port: number }): PlcServer
    start(): Promise<unknown>
    destroy(): Promise<void>
  }
}
