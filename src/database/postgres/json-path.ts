/** Paths into a record's JSON. An index over such an expression is of use only where a statement spells it alike. */

/** A path as `#>` and `#>>` take it, as a literal. */
export function pathLiteral(path: readonly string[]): string {
  const parts = path.map((part) => `"${part.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return `'{${parts.join(',').replaceAll("'", "''")}}'`
}

/** The text at a path of a record, compared by code point; `record` is the column, perhaps with an alias before it. */
export function textAt(record: string, path: readonly string[]): string {
  return `((${record} #>> ${pathLiteral(path)}) collate "C")`
}
