/** Marks a database as an unfinished copy, in the field for its derivation, so that nothing takes it for complete. */

export interface CopyMark {
  /** The derivation of the finished copy. */
  readonly derivation: string
  /** A database is copied, a backup is restored. */
  readonly kind: 'database' | 'backup'
  /** The name of the source database or backup. */
  readonly source: string
}

export function formatMark({ derivation, kind, source }: CopyMark): string {
  return `${kind === 'backup' ? 'restoring' : 'copying'} ${derivation} ${source}`
}

/** Null when the text is not the mark of an unfinished copy. */
export function parseMark(text: string): CopyMark | null {
  const [, verb, derivation, source] = /^(copying|restoring) (\S+) (.*)$/s.exec(text) ?? []
  if (derivation === undefined || source === undefined) return null
  return { derivation, kind: verb === 'restoring' ? 'backup' : 'database', source }
}

export function assertNoCopy(derivation: string): void {
  const mark = parseMark(derivation)
  if (mark === null) return
  const command = mark.kind === 'backup' ? 'restore' : 'copy'
  throw new Error(
    `it is an unfinished copy of ${mark.source}. The same \`lexigraph ${command}\` again completes it.`,
  )
}

/** Throws if the database cannot become the wanted copy. `whole`: it has content, perhaps that of a finished copy. */
export async function stateOf(
  derivation: string | null,
  wanted: CopyMark,
  hasRows: () => Promise<boolean> | boolean,
): Promise<'empty' | 'unfinished' | 'whole'> {
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
