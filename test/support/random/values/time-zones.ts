/** Time zones with odd offsets and changes, and moments around these changes. */

export const timeZones = [
  'UTC',
  'Europe/Berlin',
  // Half an hour of summer time.
  'Australia/Lord_Howe',
  // +05:45; links and other cases are names too.
  'asia/kathmandu',
  // Out of summer time during Ramadan.
  'Africa/Casablanca',
  // Without 2011-12-30.
  'Pacific/Apia',
  // Days that begin at 01:00.
  'America/Sao_Paulo',
  // Clocks went back at 00:01, to the day before.
  'America/St_Johns',
  // Offsets with seconds until 1972.
  'Africa/Monrovia',
  'Europe/Amsterdam',
  'America/New_York',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
] as const

/** In UTC, of changes of these zones; one has seconds. */
const changes = [
  '2026-03-29T01:00:00',
  '2026-10-25T01:00:00',
  '2026-04-04T15:00:00',
  '2026-10-03T15:30:00',
  '2026-02-15T02:00:00',
  '2026-03-22T02:00:00',
  '2011-12-30T10:00:00',
  '2018-11-04T03:00:00',
  '2006-10-29T02:31:00',
  '1985-12-31T18:30:00',
  '1972-01-07T00:44:30',
  '1937-06-30T23:40:28',
  '1899-12-31T23:59:59',
  '2100-01-01T00:00:00',
]

/** Days and hours of these zones begin some of these hours after a change of the offset. */
const shifts = [-25, -14, -3, -1, -0.5, 0, 0, 0.5, 1, 3, 13, 24]

export const datetimesOfChanges: readonly string[] = changes.flatMap((change) =>
  shifts.flatMap((hours) => {
    const moment = Date.parse(`${change}Z`) + hours * 3_600_000
    const text = (millisecond: number) => new Date(millisecond).toISOString()
    return [text(moment), text(moment - 1), text(moment).replace('Z', '999Z')]
  }),
)
