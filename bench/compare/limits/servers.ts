/** Servers that answer with bytes or statements that are given to them, and do nothing else. */
import { defaultPath, nextPort, type Server, startProcess } from '../../support/server.ts'

/** Starts a server that answers each path with its bytes, through the framework of the product or `node:http` alone. */
export function startMemories(
  program: 'memory-server' | 'bare-server',
  answers: ReadonlyMap<string, Uint8Array>,
): Promise<Server> {
  const port = nextPort()
  const file = new URL(`./${program}.ts`, import.meta.url).pathname
  const texts = Array.from(answers, ([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])
  const input = JSON.stringify(Object.fromEntries(texts))
  return startProcess({
    args: [file, String(port)],
    port,
    input,
    path: [...answers.keys()][0] ?? defaultPath,
  })
}

/** The statement of each path over a database of SQLite, through `node:http` alone. */
export function startStatements(
  database: string,
  queries: Readonly<Record<string, string>>,
): Promise<Server> {
  const port = nextPort()
  const file = new URL('./statement-server.ts', import.meta.url).pathname
  const input = JSON.stringify(queries)
  return startProcess({
    args: [file, String(port), database],
    port,
    input,
    path: Object.keys(queries)[0] ?? defaultPath,
  })
}
