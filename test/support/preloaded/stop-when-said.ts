/** Preloaded by a program: it stops itself, as by SIGSTOP, once it has written to its standard output. */
const { stdout } = process
const write = stdout.write.bind(stdout) as (...given: readonly unknown[]) => boolean

stdout.write = ((...given: readonly unknown[]) => {
  const isTaken = write(...given)
  process.kill(process.pid, 'SIGSTOP')
  return isTaken
}) as typeof stdout.write
