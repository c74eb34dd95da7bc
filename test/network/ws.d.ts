/** What the fake servers use of `ws`, which comes with @atproto/ws-client without types. */
declare module 'ws' {
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  export class WebSocket {
    readonly readyState: number
    static readonly OPEN: number
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this
    on(event: 'close' | 'error', listener: (...details: unknown[]) => void): this
    send(data: string | Uint8Array, sent: (error?: Error) => void): void
    close(code?: number, reason?: string): void
    terminate(): void
  }

  export class WebSocketServer {
    constructor(options: {
      noServer: true
      handleProtocols?: (protocols: Set<string>, request: IncomingMessage) => string | false
    })
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      accepted: (webSocket: WebSocket) => void,
    ): void
  }
}
