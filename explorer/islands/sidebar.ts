/** Opens the facets on wide screens, in browsers whose styles cannot. */
export function sidebar(root: ParentNode): void {
  if (CSS.supports('selector(::details-content)') || !matchMedia('(min-width: 52rem)').matches) return
  for (const element of root.querySelectorAll<HTMLDetailsElement>('.sidebar')) element.open = true
}
