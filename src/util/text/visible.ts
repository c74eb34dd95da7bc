/** Characters that are not shown and that programs ignore: joiners, variation selectors, fillers, marks of direction. */

const invisible = /\p{Default_Ignorable_Code_Point}+/gu
const visible = /\P{Default_Ignorable_Code_Point}+/gu

export function withoutInvisible(text: string): string {
  return text.replace(invisible, '')
}

/** Whether a text is empty, or of spaces and invisible characters alone. */
export function isBlank(text: string): boolean {
  return withoutInvisible(text).trim() === ''
}

/** Where each UTF-16 unit of the text without invisible characters is in the text. */
export function placesOfVisible(text: string): readonly number[] {
  return Array.from(text.matchAll(visible)).flatMap(({ 0: run, index }) =>
    run.split('').map((_, unit) => index + unit),
  )
}
