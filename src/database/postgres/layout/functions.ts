/**
 * SQL functions that PostgreSQL lacks and the dialect needs: folding, instants, page cursors, edit distances, short
 * sequences of characters. They return exactly what the modules under util/ and search/ return; functions.test.ts compares them.
 * `fold` is for text inside arrays; text that is searched often is folded before it is stored. It uses the server's
 * Unicode version, which may lack the newest characters. It is strict but not declared so, so that
 * PostgreSQL inlines it; a call takes six times as long.
 */

import { foldedLetter } from '../../../util/text/fold.ts'
import { spacingAccents } from '../../../util/text/letters.ts'
import { trackingParameters } from '../../../util/text/normalize-url.ts'

/** SQLSTATE of a sum that is not an exact JSON number; the reader translates it into a message. */
export const sumOutOfRangeState = 'LX001'

/** To be run when a database is laid out or rebuilt; the functions' schema must be first in the search path. */
export function createFunctions(): string {
  folded ??= foldedText()
  return `
create or replace function fold(t text) returns text language sql immutable parallel safe as $$
  select case when octet_length(t) = length(t) then replace(lower(t collate "C"), '\`', '''')
    else ${folded}
  end
$$;

create or replace function normalized_url(t text) returns text language sql immutable strict parallel safe as $$
  select part[1] || regexp_replace(lower(part[2] collate "C"), '^www\\.(.)', '\\1') || rtrim(part[3], '/')
      || coalesce('?' || (select string_agg(given, '&' order by place)
        from unnest(string_to_array(part[4], '&')) with ordinality as query(given, place)
        where given <> '' and lower(given collate "C") !~ '^(utm_[^=]*|${trackingParameters.join('|')})(=|$)'), '')
    from regexp_match(t collate "C", '^[hH][tT][tT][pP][sS]?://((?:[^/?#]*@)?)([^/?#@]+)((?:/[^?#]*)?)(?:$|#|[?]([^#]*))') as part
$$;

create or replace function instant(t text) returns bigint language plpgsql immutable strict parallel safe as $$
declare
  part text[] := regexp_match(t, '^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$');
  year int := part[1];
  month int := part[2];
  day int := part[3];
  away int := 0;
  seconds bigint;
begin
  if part is null or year < 1 or month not between 1 and 12 or day < 1
    or day > extract(day from make_date(year, month, 1) + interval '1 month' - interval '1 day')
    or part[4] > '23' or part[5] > '59' or part[6] > '59' then return null; end if;
  if part[8] is not null then
    if part[9] > '23' or part[10] > '59' then return null; end if;
    away := (part[8] || '1')::int * (part[9]::int * 3600 + part[10]::int * 60);
  end if;
  seconds := (make_date(year, month, day) - date '1970-01-01')::bigint * 86400
    + part[4]::int * 3600 + part[5]::int * 60 + part[6]::int - away;
  if seconds not between -62135596800 and 253402300799 then return null; end if;
  return seconds * 1000000 + rpad(left(coalesce(part[7], '0'), 6), 6, '0')::int;
end
$$;

create or replace function instant_text(micros bigint) returns text language sql immutable strict parallel safe as $$
  select to_char(
    timestamp '1970-01-01' + micros / 86400000000 * interval '1 day' + micros % 86400000000 * interval '1 microsecond',
    case when micros % 1000 = 0 then 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' else 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' end)
$$;

create or replace function page_cursor(binding text, place text) returns text language sql immutable strict parallel safe as $$
  select translate(encode(
    decode(left(md5(convert_to(binding, 'UTF8') || '\\x00'::bytea || convert_to(place, 'UTF8')), 12), 'hex')
      || convert_to(place, 'UTF8'), 'base64'), E'+/=\\n', '-_')
$$;

create or replace function sum_out_of_range() returns numeric language plpgsql volatile parallel safe as $$
begin
  raise exception 'sum out of range' using errcode = '${sumOutOfRangeState}';
end
$$;

${wordFunctions}`
}

/** Edit distances, and short sequences of characters. */
const wordFunctions = `create or replace function edit_distance(source text, target text) returns integer language plpgsql immutable strict parallel safe as $$
declare
  own text[] := string_to_array(source, null);
  other text[] := string_to_array(target, null);
  columns int := cardinality(other);
  earlier int[];
  before int[];
  now int[];
  fewest int;
begin
  before[0] := 0;
  for j in 1..columns loop before[j] := j; end loop;
  for i in 1..cardinality(own) loop
    now := null;
    now[0] := i;
    for j in 1..columns loop
      fewest := before[j - 1];
      if own[i] <> other[j] then
        fewest := least(fewest, before[j], now[j - 1]) + 1;
        if own[i] = other[j - 1] and own[i - 1] = other[j] then fewest := least(fewest, earlier[j - 2] + 1); end if;
      end if;
      now[j] := fewest;
    end loop;
    earlier := before;
    before := now;
  end loop;
  return before[columns];
end
$$;

create or replace function short_grams(t text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  grams text[] := string_to_array(t, null);
  letters int := cardinality(grams);
begin
  for n in 2..letters loop
    grams[letters + n - 1] := grams[n - 1] || grams[n];
  end loop;
  return grams;
end
$$;
`

/** Computed once, because a million characters have to be examined. */
let folded: string | undefined

/** The expression that folds `t`: letters that become several follow, in lower case. */
function foldedText(): string {
  let [from, to, marks] = ['', '', '']
  const several: [string, string][] = []
  let wasMark = false
  for (let code = 0x41; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const lower = character.toLowerCase()
    const by = foldedLetter(lower)
    const isMark = by === ''
    if (isMark !== wasMark) marks += isMark ? escaped(code) : `-${escaped(code - 1)}`
    wasMark = isMark
    // What is decomposed does not arrive here; `translate` compares each character with all of these.
    if (isMark || character.normalize('NFKD') !== character || [...lower].length > 1) continue
    const isOne = [...by].length === 1
    if (!isOne && lower === character) several.push([lower, by])
    const other = isOne ? by : lower
    if (other === character) continue
    from += character
    to += other === "'" ? "''" : other
  }
  const typed = `translate(t, '${spacingAccents}', '${"''".repeat(spacingAccents.length)}')`
  const single = `translate(normalize(regexp_replace(normalize(${typed}, nfkd), '[${marks}]+', '', 'g'), nfc), '${from}', '${to}')`
  return several.reduce((text, [letter, letters]) => `replace(${text}, '${letter}', '${letters}')`, single)
}

function escaped(code: number): string {
  return `\\U${code.toString(16).padStart(8, '0')}`
}
