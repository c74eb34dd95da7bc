/** Text from elsewhere, fit to be shown and stored: no NUL, no half of a surrogate pair, and not too long. */
export function cleanText(text: string, longest = 500): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.toWellFormed().replaceAll('\0', '\uFFFD')
}
