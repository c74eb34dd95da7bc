/** Preloaded by a program: once it has written to its standard output it does nothing more, until a signal ends it. */
const { stdout } = process
const write = stdout.write.bind(stdout) as (...given: readonly unknown[]) => boolean

stdout.write = ((...given: readonly unknown[]) => {
  write(...given)
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) === 'ok'
}) as typeof stdout.write
