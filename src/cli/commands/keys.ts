/** `keys create|list|rotate|revoke`: who has higher limits. */
import { CommandError } from '../command.ts'

export async function keys(): Promise<number> {
  throw new CommandError('keys is not there yet.')
}
