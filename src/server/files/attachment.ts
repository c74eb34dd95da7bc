/** The header `Content-Disposition` of a file to store; older programs read the name without letters of other scripts. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w.-]+/g, '_')
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`}`
}
