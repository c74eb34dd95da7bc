/**
 * The one folding that `contains`, `startsWith` and their indexes share: case and accents disappear,
 * the marks of Japanese, Korean, Hindi and other scripts stay.
 */
export function foldText(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

const notAscii = /\P{ASCII}/u
const accents = /[\u0300-\u036f]+/g
