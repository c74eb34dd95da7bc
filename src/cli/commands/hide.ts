/** `hide`, `unhide` and `hidden`: what operators take out of every answer. */
import { CommandError } from '../command.ts'

export async function hide(): Promise<number> {
  throw new CommandError('hide is not there yet.')
}

export async function unhide(): Promise<number> {
  throw new CommandError('unhide is not there yet.')
}

export async function hidden(): Promise<number> {
  throw new CommandError('hidden is not there yet.')
}
