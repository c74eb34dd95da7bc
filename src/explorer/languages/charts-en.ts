/** Texts of charts in English: the shape that other languages have. */

/** A value of a chart, and where it is. */
export interface Place {
  readonly value: string
  readonly place: string
}

export const charts = {
  table: 'Table of values',
  empty: 'There is nothing to show.',
  failed: 'The chart could not be drawn; its table has the values.',
  single: (one: Place) => `${one.place}: ${one.value}.`,
  extremes: (highest: Place, lowest: Place) =>
    `Highest: ${highest.value} (${highest.place}). Lowest: ${lowest.value} (${lowest.place}).`,
  records: 'Records',
  shareOfAll: 'Share of all records of the period',
  recordsPer: {
    hour: 'Records per hour',
    day: 'Records per day',
    week: 'Records per week',
    month: 'Records per month',
    year: 'Records per year',
  },
  sharePer: {
    hour: 'Share of all records per hour',
    day: 'Share of all records per day',
    week: 'Share of all records per week',
    month: 'Share of all records per month',
    year: 'Share of all records per year',
  },
  periods: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month', year: 'Year' },
  by: (what: string, field: string) => `${what}, by ${field}`,
  others: 'Others',
  undated: (count: string) => `${count} records without a time are not shown.`,
  newestOnly: 'Only the newest periods are shown. Choose longer ones to see all.',
  smallLeftOut: 'There are very many groups; the smallest are among the others.',
  values: 'Values',
  count: 'Counts',
  share: 'Shares',
  split: 'Split by',
  none: 'nothing',
  per: 'Per',
  automatic: 'automatic',
  more: 'More charts of this view',
  file: 'Chart as SVG',
  title: (collection: string) => `Charts: ${collection}`,
  back: 'Records of this view',
  parts: 'Show',
  part: { groups: 'One measure by fields', compare: 'Compared queries', unusual: 'What is unusual here' },
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
  kind: 'Drawn as',
  kinds: { bars: 'Bars', lines: 'Lines', heat: 'Heat map', multiples: 'Small multiples' },
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
  shareOfGroup: 'Share of the records of each group',
  shareOfShown: 'Share of the records',
  averageOf: (field: string) => `Average of ${field}`,
  medianOf: (field: string) => `Median of ${field}`,
  distinctOf: (field: string) => `Number of different values of ${field}`,
  largest: (shown: string, all: string) => `${shown} of ${all} groups are shown.`,
  atLeast: (records: string) => `Groups of fewer than ${records} records are left out.`,
  noLines: 'Lines need an order, such as time, so these are bars.',
}

export type ChartTexts = typeof charts
