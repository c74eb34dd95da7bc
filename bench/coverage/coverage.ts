/** Which source files run: V8's precise coverage of this thread and of the threads that it starts. */
import { Session } from 'node:inspector/promises'

export interface Coverage {
  /** Files of src/ with a function that ran since the last call. */
  readonly filesRun: () => Promise<readonly string[]>
}

type Post = (method: string, params?: object) => Promise<unknown>

interface TakenCoverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

export async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  const posts: Post[] = [(method, params) => session.post(method as never, params as never)]
  await start(posts[0] as Post)
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const waiting = new Map<number, (result: unknown) => void>()
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId !== sessionId) return
      const { id, result } = JSON.parse(params.message) as { readonly id: number; readonly result: unknown }
      waiting.get(id)?.(result)
    })
    let last = 0
    const post: Post = (method, params) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve)
        const message = JSON.stringify({ id: last, method, params })
        void session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
      })
    posts.push(post)
    void start(post)
  })
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return {
    filesRun: async () => {
      const taken = (await Promise.all(
        posts.map((post) => post('Profiler.takePreciseCoverage')),
      )) as readonly TakenCoverage[]
      const files = taken
        .flatMap(({ result }) => result)
        .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
        .flatMap(({ url }) => url.split('/src/')[1] ?? [])
        .filter((file) => file.endsWith('.ts'))
      return [...new Set(files)].toSorted()
    },
  }
}

async function start(post: Post): Promise<void> {
  await post('Profiler.enable')
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
}
