/** The DDL of the metadata tables. Each engine supplies its column types. */

/** `text` compares by code points. */
export interface ColumnTypes {
  readonly text: string
  /** 64 bits. */
  readonly integer: string
  /** 0 or 1. */
  readonly flag: string
  readonly real: string
  readonly cid: string
  readonly json: string
  /** The generated primary key of `base`. */
  readonly id: string
  /** Options of a table that is stored in the order of its primary key. */
  readonly clustered: string
}

/**
 * Times are microseconds since 1970, days are numbers of days since 1970 in UTC.
 * `replaced`: when a rebuild replaced the derivation of other lexicons. `base`: repository collections. `rejection`: refused records.
 * `actor`: accounts with records here; `floor` is the revision up to which all of a repository is known,
 * `move` the pending work on the rows of an account whose status has changed.
 * `hidden`: ids in `base` whose rows must not be visible. `parked`: quarantined rows of hidden accounts.
 * `tombstone`: the revision at which a record was deleted or refused; older versions do not come back.
 * `source`: `public_name` is the name for callers; null if none was set.
 * `job`: repositories to fetch; `due_at` null: failed for good. A fetch must begin at or after `latest_at`.
 * `fetched`: repositories that were fetched for the live stream in the last minutes.
 * `api_key`: `hash` is the SHA-256 of the key; `valid_until` is the end that the operator set, `expires_at` the end after
 * a replacement. `key_usage`: the usage of keys by day.
 * `hiding`: hidings by operators, active while `shown_at` is null.
 * `purge`: purged subjects of hidings; `erased_at` is null while data may be left.
 * `expired`: records that were removed for their age and do not come back.
 */
export function createMetadataTables(types: ColumnTypes): string {
  const { text, integer, flag, real, cid, json, id, clustered } = types
  return `
  create table replaced (derivation text primary key, at bigint not null);
  create table base (id ${id}, uri ${text} not null unique, did ${text}, collection ${text});
  create table rejection (
    key ${text} primary key, source ${text} not null, uri ${text}, reason ${text} not null, message ${text} not null,
    record ${text} not null, seen_at ${integer} not null, rev ${text}, cut ${flag} not null default 0
  )${clustered};
  create index rejection_seen on rejection (seen_at, source) where source <> 'rebuild';
  create index rejection_age on rejection (seen_at);
  create table actor (
    did ${text} primary key, handle ${text}, handle_due ${integer}, status ${text}, status_at ${integer} not null,
    floor ${text}, move ${text}
  )${clustered};
  create index actor_due on actor (handle_due) where handle_due is not null;
  create index actor_move on actor (move) where move is not null;
  create table hidden (base ${integer} primary key);
  create table parked (
    base ${integer} not null, rkey ${text} not null, id ${integer}, cid ${cid} not null, rev ${text},
    indexed_at ${integer} not null, changed_at ${integer} not null, record ${json} not null, primary key (base, rkey)
  )${clustered};
  create index parked_age on parked (indexed_at);
  create table tombstone (
    base ${integer} not null, rkey ${text} not null, rev ${text} not null, primary key (base, rkey)
  )${clustered};
  create table source (
    name ${text} primary key, cursor ${text}, state ${text} not null, detail ${text}, event_at ${integer},
    lag ${real}, rate ${real} not null, heard_at ${integer} not null, public_name ${text}
  )${clustered};
  create table outcome (
    source ${text} not null, collection ${text} not null, outcome ${text} not null, records ${integer} not null,
    primary key (source, collection, outcome)
  )${clustered};
  create table job (
    kind ${text} not null, did ${text} not null, host ${text}, reason ${text} not null, attempts ${integer} not null,
    requested_at ${integer} not null, due_at ${integer}, latest_at ${integer} not null, error ${text},
    primary key (kind, did)
  );
  create index job_due on job (kind, due_at);
  create table fetched (did ${text} primary key, at ${integer} not null)${clustered};
  create index fetched_at on fetched (at);
  create table listing (
    kind ${text} not null, target ${text} not null, cursor ${text}, done ${flag} not null, primary key (kind, target)
  )${clustered};
  create table api_key (
    id ${text} primary key, hash ${text} not null unique, name ${text} not null, tier ${text} not null,
    created_at ${integer} not null, expires_at ${integer}, revoked_at ${integer}, contact ${text},
    valid_until ${integer}
  )${clustered};
  create table key_usage (
    key ${text} not null, day ${integer} not null, requests ${integer} not null, points ${integer} not null,
    primary key (key, day)
  )${clustered};
  create table hiding (
    subject ${text} not null, hidden_at ${integer} not null, hidden_by ${text} not null, reason ${text} not null,
    shown_at ${integer}, shown_by ${text}, primary key (subject, hidden_at)
  )${clustered};
  create unique index hiding_now on hiding (subject) where shown_at is null;
  create table purge (
    subject ${text} not null, hidden_at ${integer} not null, purged_at ${integer} not null, purged_by ${text} not null,
    reason ${text} not null, erased_at ${integer}, primary key (subject, hidden_at)
  )${clustered};
  create table expired (
    base ${integer} not null, rkey ${text} not null, rev ${text}, indexed_at ${integer} not null,
    primary key (base, rkey)
  )${clustered};`
}
