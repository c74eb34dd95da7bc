/** `explain 'GRAPHQL'`: prints what an operation reads and costs, its SQL, and the indexes that each part uses. */
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import type { Explanation } from '../../../query/execute/execute.ts'
import type { CommandContext } from '../../command.ts'
import { openReader } from '../../service/service.ts'
import { loadRequest, printAnswer } from './operation.ts'
import { counted } from '../../../util/text/counted.ts'

export async function explain(context: CommandContext): Promise<number> {
  const { config, root } = context
  const request = await loadRequest(context)
  await using service = await openReader(config, root)
  let explanation: Explanation
  try {
    explanation = await service.engine.explain(request)
  } catch (error) {
    return printAnswer(errorAnswer(error), config)
  }
  process.stdout.write(config.json ? renderJson(explanation) : renderText(explanation))
  return 0
}

function renderText({ plan, cost, sql, values, steps }: Explanation): string {
  const parts: [string, readonly string[]][] = [
    ['Plan', plan],
    ['Cost', [counted(cost, 'point')]],
    ['SQL', [sql ?? 'none: the answer needs no data']],
    ['Parameters', values.map((value, index) => `${index + 1}  ${renderValue(value)}`)],
    ['Steps and indexes', steps],
  ]
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `# ${title}\n${lines.join('\n')}\n`)
    .join('\n')
}

function renderJson({ plan, cost, sql, values, steps }: Explanation): string {
  return `${JSON.stringify({ plan, cost, sql, values: values.map(plainValue), steps })}\n`
}

function renderValue(value: unknown): string {
  return JSON.stringify(plainValue(value))
}

/** Converts values that JSON has no type for: instants are bigints, and CIDs are bytes. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
