/** Replaces an operation that fails, and retries it at intervals instead of for every request. */

/** Milliseconds from a failure until one request retries; the others do not wait for it. */
const pause = 5_000

export class Fallback {
  readonly #onChange: (failure: Error | null) => void
  #hasFailed = false
  #triedAgain = 0

  /** `onChange` receives the error when the operation starts to fail, and null when it works again. */
  constructor(onChange: (failure: Error | null) => void = () => undefined) {
    this.#onChange = onChange
  }

  async run<Result>(work: () => Promise<Result>, instead: () => Result | Promise<Result>): Promise<Result> {
    if (this.#hasFailed) {
      if (Date.now() < this.#triedAgain) return instead()
      this.#triedAgain = Date.now() + pause
    }
    try {
      const result = await work()
      this.#tell(null)
      return result
    } catch (error) {
      this.#triedAgain = Date.now() + pause
      this.#tell(error as Error)
      return instead()
    }
  }

  #tell(failure: Error | null): void {
    const hadFailed = this.#hasFailed
    this.#hasFailed = failure !== null
    if (this.#hasFailed !== hadFailed) this.#onChange(failure)
  }
}
