/** Statement triggers that see all changed rows at once, to maintain data that depends on a table's rows. */
import { quote } from './ddl.ts'

export type Event = 'insert' | 'update' | 'delete'
const events: readonly Event[] = ['insert', 'update', 'delete']

const rows: Readonly<Record<Event, string>> = {
  insert: 'new table as new_rows',
  update: 'old table as old_rows new table as new_rows',
  delete: 'old table as old_rows',
}

/** The function of triggers. `changed`: a select without rows if an update has changed nothing relevant. */
export function createTriggerFunction(
  name: string,
  changed: string,
  change: (event: Event) => string,
): string {
  return `create or replace function ${name}() returns trigger language plpgsql as $change$
      begin
        if tg_op = 'UPDATE' then
          if not exists (${changed}) then
            return null;
          end if;
          ${change('update')}
        elsif tg_op = 'INSERT' then
          ${change('insert')}
        else
          ${change('delete')}
        end if;
        return null;
      end
    $change$;`
}

/** `kind` is the prefix of the triggers' names; the search path determines the schema of the function. */
export function createTriggers(kind: string, table: string, calls: string): string {
  const each = events.map(
    (
      event,
    ) => `create or replace trigger ${kind}_${event} after ${event} on ${quote(table)} referencing ${rows[event]}
      for each statement execute function ${calls}();`,
  )
  return each.join('\n')
}

export function dropTriggers(kind: string, table: string): string {
  return events.map((event) => `drop trigger if exists ${kind}_${event} on ${quote(table)};`).join('\n')
}
