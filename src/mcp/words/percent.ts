/** Shares in percent. */

/** Such as `94.2 %`; 100 % only if the part is the whole, and 0 % only if it is empty. */
export function percent(part: number, whole: number): string {
  if (part === whole) return '100 %'
  if (part === 0) return '0 %'
  const exact = (100 * part) / whole
  if (exact < 0.1) return '<0.1 %'
  return `${Math.min(Math.round(exact * 10) / 10, 99.9)} %`
}

/** The share in a sample, without decimals. */
export function roughPercent(part: number, whole: number): string {
  return `~${Math.round((100 * part) / whole)} %`
}
