/** The menu of a chart: its groups as files, the drawing, and its query. */
import { fileFormats } from '../../files/file-spec.ts'
import { chartFileAddress } from '../addresses.ts'
import { isDrawn } from '../charts/chart-spec.ts'
import type { AskedChart } from '../chart-data/asked-chart.ts'
import type { Html } from '../html.ts'
import { affordableOperations, type Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import type { Subject } from '../fields/subject.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { View } from '../view/view.ts'
import { recordNameOf } from '../chart-data/grouping.ts'
import { groupFiles, type ExportedFile } from './files.ts'
import { type MenuContext, exportMenu } from './export-menu.ts'

/** The menu of a chart of the page's view; null for a chart without values. */
export function chartMenu(
  asked: AskedChart,
  answer: Answer,
  view: View,
  subject: Subject,
  context: MenuContext,
): Html {
  const { spec } = asked.chart(answer)
  const drawn = asked.more(answer)
  // Of what costs too much for one operation the first part is shown.
  const [operation] = affordableOperations(context.site, drawn.length === 0 ? asked.panels : drawn)
  if (spec.keys.length === 0 || operation === undefined) return null
  return exportMenu(
    {
      kind: 'chart',
      title: `${subjectLabel(subject, context.language)}: ${spec.title}`,
      operation,
      files: chartFiles(asked, view, subject),
      svg: isDrawn(spec) ? chartFileAddress(subject.collection.nsid, view, 'svg') : null,
    },
    context,
  )
}

/** The values of a chart: an export of its groups, or, where it is made of several panels, a file of its own. */
export function chartFiles(
  { exported, table }: AskedChart,
  view: View,
  subject: Subject,
): readonly ExportedFile[] {
  const { nsid } = subject.collection
  if (table !== undefined)
    return fileFormats.flatMap((format) => {
      const path = chartFileAddress(nsid, view, format)
      return path === null ? [] : { format, path }
    })
  return exported === undefined ? [] : filesOf(exported, subject)
}

function groupsOf({ arguments: { groupBy } }: Panel): readonly string[] {
  return Array.isArray(groupBy) ? groupBy.map(String) : []
}

/** The arguments are those of the aggregate; names of records and the measures become columns. */
function filesOf(panel: Panel, { collection, fields }: Subject): readonly ExportedFile[] {
  const keys = groupsOf(panel)
  const names = keys.flatMap((key) => recordNameOf(fields.get(key)) ?? [])
  const columns = [...names, ...measuresOf(panel.selection)]
  return groupFiles(collection.nsid, {
    ...panel.arguments,
    groupBy: keys.join(','),
    fields: columns.length === 0 ? undefined : columns.join(','),
  })
}

/** `avg.wordCount` of `avg { wordCount }`. */
function measuresOf(selection: string): readonly string[] {
  const simple = selection.matchAll(/\b(avg|median|sum|min|max) \{ (\w+) \}/g)
  const distinct = selection.matchAll(/\bcountDistinct\(field: (\w+)\)/g)
  return [
    ...Array.from(simple, ([, measure, field]) => `${measure}.${field}`),
    ...Array.from(distinct, ([, field]) => `countDistinct.${field}`),
  ]
}
