/** The record key of an AT-URI: its last part. */
export function recordKey(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}
