/** Puts queries to the engine in this process, for benches that print milliseconds of it. */
import { cpuMeter, runningHere } from './cpu-time.ts'
import { openEngine } from './engine.ts'

/** Puts one question at a time. */
export interface Asker extends AsyncDisposable {
  /** Milliseconds. Whether the answer is all right is only checked by `answer`. */
  time(query: string): Promise<number>
  answer(query: string): Promise<Readonly<Record<string, unknown>>>
}

/** Plans are cached, answers are not. `isCpu`: CPU time of the engine and the database instead of time. */
export async function inProcess(path: string, isCpu: boolean): Promise<Asker> {
  const opened = await openEngine(path, isCpu ? runningHere : undefined)
  const { engine } = opened
  const cpuOf = await cpuMeter(opened.database)
  return {
    async time(query) {
      if (isCpu) return cpuOf(() => engine.execute({ query }))
      const start = performance.now()
      await engine.execute({ query })
      return performance.now() - start
    },
    async answer(query) {
      const answer = await engine.execute({ query })
      if (answer.kind !== 'data') throw new Error(`${query}: ${JSON.stringify(answer.errors)}`)
      return JSON.parse(Buffer.from(answer.body).toString()).data
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** As Markdown tables of benches show milliseconds. */
export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}
