/** Asks a service at a fixed rate, for benches that measure one caller next to others. */
import { Agent, type AgentOptions, request, type RequestOptions } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout } from 'node:timers/promises'

export interface Sent {
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** Nothing of the answer is read. */
  readonly isUnread?: boolean
}

/** Milliseconds of each request, sent without waiting for earlier ones. One that fails counts as infinitely slow. */
export async function repeat(
  seconds: number,
  perSecond: number,
  work: (agent: Agent) => Promise<number>,
  localAddress = '127.0.0.1',
): Promise<readonly number[]> {
  const options: AgentOptions & { localAddress: string } = { keepAlive: true, localAddress }
  const agent = new Agent(options)
  const took: number[] = []
  const one = async (): Promise<void> => {
    const began = performance.now()
    const status = await work(agent)
    took.push(status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY)
  }
  const running: Promise<void>[] = []
  const start = performance.now()
  for (let n = 0; n < seconds * perSecond; n += 1) {
    await setTimeout(Math.max(0, start + (n * 1000) / perSecond - performance.now()))
    running.push(one())
  }
  await Promise.all(running)
  agent.destroy()
  return took
}

/** The status, when all of the answer has come. `onText` gets the answer. */
export function ask(
  port: number,
  { path, body, headers, isUnread }: Sent,
  options: RequestOptions,
  onText?: (text: string) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const accept = 'application/graphql-response+json'
    const given = { 'content-type': 'application/json', accept, ...headers }
    const sent = request(
      `http://127.0.0.1:${port}${path}`,
      { method: 'POST', ...options, headers: given },
      (response) => {
        let text = ''
        if (onText !== undefined) response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
        response
          .on('end', () => {
            onText?.(text)
            resolve(response.statusCode ?? 0)
          })
          .on('error', reject)
        if (isUnread !== true) response.resume()
      },
    )
    sent.on('error', reject).end(body)
  })
}

/** So that the figures do not include how long this process waits for a core. It needs the right to do so. */
export function raiseOwnPriority(): void {
  try {
    setPriority(-10)
  } catch {
    console.error('Without the right to raise its priority, this process waits for a core like all others.')
  }
}
