/**
 * Marks a database as an unfinished copy where it says what its tables were derived from, so that nobody takes it
 * for whole: not a server that reads, and not an import that would build it anew.
 */

export interface CopyMark {
  /** What the tables are derived from. */
  readonly derivation: string
  /** A database is copied, a backup is restored. */
  readonly kind: 'database' | 'backup'
  /** Of which database or backup it is a copy. */
  readonly source: string
}

export function formatMark({ derivation, kind, source }: CopyMark): string {
  return `${kind === 'backup' ? 'restoring' : 'copying'} ${derivation} ${source}`
}

/** Null when it is no unfinished copy. */
export function parseMark(text: string): CopyMark | null {
  const [, verb, derivation, source] = /^(copying|restoring) (\S+) (.*)$/s.exec(text) ?? []
  if (derivation === undefined || source === undefined) return null
  return { derivation, kind: verb === 'restoring' ? 'backup' : 'database', source }
}

/** Throws on an unfinished copy. */
export function assertNoCopy(derivation: string): void {
  const mark = parseMark(derivation)
  if (mark === null) return
  const command = mark.kind === 'backup' ? 'restore' : 'copy'
  throw new Error(
    `it is an unfinished copy of ${mark.source}. The same \`lexigraph ${command}\` again completes it.`,
  )
}

export interface TargetFound {
  /** What the database says it was derived from; null when it is not of this program's layout. */
  readonly derivation: string | null
  /** What it should say. */
  readonly wanted: CopyMark
  readonly hasRows: () => Promise<boolean> | boolean
}

/** `whole`: it has content of its own, which may be that of a copy that is done. */
export type TargetState = 'empty' | 'unfinished' | 'whole'

export interface CopyProgress {
  readonly found: TargetState
  /** What it shall say that it is derived from when it is done, and until then. */
  readonly derivation: string
  readonly mark: string
}

/** Throws when no copy may be made there. */
export async function stateOf({ derivation, wanted, hasRows }: TargetFound): Promise<TargetState> {
  const mark = derivation === null ? null : parseMark(derivation)
  if (mark === null) {
    if (derivation !== wanted.derivation)
      throw new Error('it was built with other lexicons or by another version. Name an empty database.')
    return (await hasRows()) ? 'whole' : 'empty'
  }
  if (mark.source !== wanted.source)
    throw new Error(
      `it is an unfinished copy of ${mark.source}. Complete that one, or name an empty database.`,
    )
  if (mark.derivation !== wanted.derivation)
    throw new Error(
      'it is a copy that was begun with other lexicons or by another version. Go on with those, or name an empty database.',
    )
  return 'unfinished'
}
