/**
 * For a process with workers: from SIGUSR2 on, what its workers send is read only after the end of one was told, as it
 * may happen on a busy machine.
 */
import cluster from 'node:cluster'

interface Channel {
  readonly readStart: () => void
  readonly readStop: () => void
}

if (cluster.isPrimary) {
  process.on('SIGUSR2', () => {
    for (const worker of Object.values(cluster.workers ?? {})) {
      const { process: child } = worker ?? {}
      if (child === undefined) continue
      const symbol = Object.getOwnPropertySymbols(child).find((one) => one.description === 'kChannelHandle')
      const channel = (child as unknown as Record<symbol, Channel>)[symbol as symbol] as Channel
      channel.readStop()
      cluster.on('exit', () => channel.readStart())
    }
    process.stderr.write('Channels are read after the end of a worker.\n')
  })
}
