/** All tools of the agents' server, in the order in which they are listed. */
import type { Tool, ToolsGiven } from './tool.ts'

export function createTools(_given: ToolsGiven): readonly Tool[] {
  return []
}
