/** Texts of charts in English: the shape that other languages have. */

/** A value of a chart, and where it is. */
export interface LabelledValue {
  readonly value: string
  readonly place: string
}

export const charts = {
  table: 'Table of values',
  empty: 'There is nothing to show.',
  failed: 'The chart could not be drawn; its table has the values.',
  single: (one: LabelledValue) => `${one.place}: ${one.value}.`,
  extremes: (highest: LabelledValue, lowest: LabelledValue) =>
    `Highest: ${highest.value} (${highest.place}). Lowest: ${lowest.value} (${lowest.place}).`,
  /** Several places with the highest or the lowest value; `others`: their number without the first. */
  tied: (place: string, others: string) => `${place}, and ${others} more`,
  ofShown: 'Of what is shown:',
  few: (records: string, matches: string, noun: string) =>
    `* or hollow: partly chance, because of fewer than ${records} ${noun}, or high with fewer than ${matches} matches.`,
  noValue: 'no value',
  withoutValue: (count: string) => `Without a value (–): ${count}.`,
  pairsWithoutValue: (count: string) => `Pairs without a value: ${count}.`,
  allRecords: (noun: string) => `all ${noun}`,
  /** `the articles in English with Category: sport` */
  recordsWith: (noun: string, phrases: string) => `the ${noun} ${phrases}`,
  phrases: {
    in: (language: string) => `in ${language}`,
    by: (outlet: string) => `by ${outlet}`,
    from: (country: string) => `from ${country}`,
    with: (conditions: string) => `with ${conditions}`,
  },
  withinPeriod: (base: string) => `${base} within this period`,
  shareIs: 'Share of',
  shareOf: (base: string) => `Share of ${base}`,
  /** `period`: one of `periods`. */
  recordsPer: (noun: string, period: string) => `${noun} per ${period.toLowerCase()}`,
  sharePer: (base: string, period: string) => `Share of ${base} per ${period.toLowerCase()}`,
  periods: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month', year: 'Year' },
  by: (what: string, field: string) => `${what}, by ${field}`,
  partsBy: (what: string, field: string) =>
    `${what}, by ${field} (each part is of the whole, not of its own ${field})`,
  others: 'Others',
  undated: (noun: string, count: string) => `${noun} without a time that are not shown: ${count}.`,
  unmeasured: (noun: string, count: string) => `${noun} without the number that are not shown: ${count}.`,
  outliers: (noun: string, count: string) =>
    `${noun} with a time far from all others that are not shown: ${count}. Choose their period to see them.`,
  byIndexing: 'By time of indexing',
  drag: 'Drag over the chart to choose a period.',
  partial: (periods: string) => `Not complete: ${periods}.`,
  monthsLeftOut: (noun: string, months: string) =>
    `${noun} far from all others that are not drawn: ${months}.`,
  newestOnly: 'Only the newest periods are shown. Choose longer ones to see all.',
  smallLeftOut: 'There are more pairs than an answer has; the small ones have no value here.',
  values: 'Values',
  count: 'Counts',
  share: 'Shares',
  split: 'Split by',
  none: 'nothing',
  per: 'Per',
  automatic: 'best fit',
  more: 'More charts',
  file: 'Chart as SVG',
  image: 'Chart as PNG',
  title: (collection: string) => `Charts: ${collection}`,
  back: 'Back to the list',
  measure: 'Measure',
  measures: {
    count: 'Count',
    share: 'Share',
    average: 'Average',
    median: 'Median',
    distinct: 'Number of different values',
  },
  of: 'of',
  onlyDistinct: 'only for different values',
  groupBy: 'By',
  andBy: 'and by',
  kind: 'Shown as',
  kinds: { bars: 'Bars', lines: 'Lines', table: 'Table' },
  top: 'Most groups',
  step: 'Ranges of numbers',
  draw: 'Draw',
  units: {
    hour: 'hours',
    day: 'days',
    week: 'weeks',
    month: 'months',
    year: 'years',
    hourOfDay: 'hour of the day',
    weekday: 'day of the week',
  },
  shareOfGroup: (base: string) => `Share of ${base} in each group`,
  base: 'Of',
  averageOf: (field: string) => `Average of ${field}`,
  medianOf: (field: string) => `Median of ${field}`,
  distinctOf: (field: string) => `Number of different values of ${field}`,
  largest: (shown: string, all: string) => `${shown} of ${all} groups are shown.`,
  largestOf: (field: string, shown: string, all: string) => `${field}: ${shown} of ${all} groups are shown.`,
  matching: (count: string) => `Groups with fewer than ${count} matches are left out.`,
  atLeast: (count: string, noun: string) => `Groups of fewer than ${count} ${noun} in all are left out.`,
  everything: 'everything',
  noTime: 'There is no time to compare over.',
  noLines: 'Lines need an order, such as time, so these are bars.',
  noBars: 'Bars would add up what does not add up, so these are lines.',
  manySeries: 'So many lines or colours cannot be told apart, so this is a table.',
}
