/** A fault of the network or of a repository; all other errors are bugs of ours. */
export class Fault extends Error {
  readonly #passing: boolean

  constructor(
    message: string,
    { passing = false, ...options }: ErrorOptions & { readonly passing?: boolean } = {},
  ) {
    super(message, options)
    this.#passing = passing
  }

  /** Whether another attempt may succeed. */
  shouldRetry(): boolean {
    return this.#passing
  }
}
