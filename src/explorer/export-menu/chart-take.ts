/** The menu of a chart: its groups as files, the drawing, and its query. */
import type { AskedChart } from '../chart-data/asked-chart.ts'
import type { Html } from '../html.ts'
import { buildOperation, type Panel } from '../operation.ts'
import type { Answer } from '../page.ts'
import type { Subject } from '../fields/subject.ts'
import { subjectLabel } from '../fields/labels.ts'
import { groupFiles, type TakenFile } from './files.ts'
import { type TakeContext, takeMenu } from './take.ts'

/** `svg`: the address of the drawing. Null for a chart without values. */
export function takeChart(
  { panels, chart }: AskedChart,
  answer: Answer,
  svg: string,
  subject: Subject,
  context: TakeContext,
): Html {
  const { spec } = chart(answer)
  if (spec.keys.length === 0) return null
  const panel = drawnPanels.map((name) => panels.find((each) => each.name === name)).find(Boolean)
  return takeMenu(
    {
      title: `${subjectLabel(subject, context.language)}: ${spec.title}`,
      operation: buildOperation(context.site.schema, 'Chart', panels),
      files: panel === undefined ? [] : filesOf(panel, subject.collection.nsid),
      svg,
    },
    context,
  )
}

/** Panels whose groups are what a chart draws; a comparison and what is unusual come from several. */
const drawnPanels = ['groups', 'timeSplit', 'time']

function groupsOf({ arguments: { groupBy } }: Panel): readonly string[] {
  return Array.isArray(groupBy) ? groupBy.map(String) : []
}

/** The arguments are those of the aggregate; the measures become columns. */
function filesOf(panel: Panel, nsid: string): readonly TakenFile[] {
  const measures = measuresOf(panel.selection)
  return groupFiles(nsid, {
    ...panel.arguments,
    groupBy: groupsOf(panel).join(','),
    fields: measures.length === 0 ? undefined : measures.join(','),
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
