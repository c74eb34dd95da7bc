/** Statements that take as long as they are let, and who runs them. */
import { execFileSync } from 'node:child_process'
import type { Statement } from '../../../src/database/database.ts'
import type { Engine } from './postgres.ts'

/** It would take hours, and uses a core all the while. */
export function endless(engine: Engine): Statement {
  return engine === 'sqlite'
    ? {
        text: `with recursive n (n) as (select 1 union all select n + 1 from n)
          select count(*) as version, cast('' as blob) as body from n`,
        values: [],
      }
    : {
        text: `select count(*) as version, ''::bytea as body from (select generate_series(1, 1000000000000)) as n`,
        values: [],
      }
}

/** Answers at once, with what it was given. */
export function echo(engine: Engine, text: string): Statement {
  return engine === 'sqlite'
    ? { text: 'select 7 as version, cast(? as blob) as body', values: [text] }
    : { text: `select 7::bigint as version, convert_to($1, 'UTF8') as body`, values: [text] }
}

/**
 * The processes that read a file for another, by their ids: of this one those from now on, because other tests may have
 * some too; of a parent that was just started all, because it may have some by the time this looks.
 */
export function watchReaders(parent = process.pid) {
  const others = new Set(parent === process.pid ? readersOf(parent).map(({ pid }) => pid) : [])
  const own = () => readersOf(parent).filter(({ pid }) => !others.has(pid))
  return {
    all: (): readonly number[] => own().map(({ pid }) => pid),
    /** Those that run a statement, or are still starting. */
    busy: (): readonly number[] => own().flatMap(({ pid, state }) => (state.startsWith('R') ? [pid] : [])),
  }
}

function readersOf(parent: number): readonly { readonly pid: number; readonly state: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, ppid, state = ''] = line.trim().split(/\s+/)
    const isOne = Number(ppid) === parent && !state.startsWith('Z') && line.includes('query-child')
    return isOne ? [{ pid: Number(pid), state }] : []
  })
}
