/**
 * Preloaded by `serve`: the process that prepares its index stops itself, as by SIGSTOP, when TEST_STOPS says so: at its
 * `start`, or in the `middle` of a rebuild, when it has told its progress once.
 */
const { send, argv, env } = process
const stop = (): boolean => process.kill(process.pid, 'SIGSTOP')

if (argv[1]?.includes('prepare-child')) {
  if (env['TEST_STOPS'] === 'start') stop()
  else {
    let steps = 0
    process.send = ((message: unknown, ...more: readonly unknown[]) => {
      const isSent = Reflect.apply(send as Function, process, [message, ...more])
      if ((message as { readonly kind?: string }).kind === 'working' && (steps += 1) === 2) stop()
      return isSent
    }) as NonNullable<typeof send>
  }
}
