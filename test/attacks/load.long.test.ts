/** Attacks by load: floods, heavy questions and readers that do not read, on servers over each engine. */
import { after, test } from 'node:test'
import { databases } from '../support/store/postgres.ts'
import { loadAttacks } from './families.ts'
import { assertHealthy, assertNothingLeft } from './health.ts'
import { type AttackedServers, openServers } from './servers.ts'

for (const engine of databases) {
  let opened: Promise<AttackedServers> | undefined
  const open = (): Promise<AttackedServers> => (opened ??= openServers(engine))
  after(async () => (await opened)?.[Symbol.asyncDispose]())

  for (const { name, server, isAboveStore, attack } of loadAttacks)
    if (engine === 'sqlite' || isAboveStore !== true)
      test(`attacks by load, ${name} (${engine})`, async () => {
        const { given, target } = await open()
        const attacked = await target(server)
        await attack(attacked, given)
        await assertHealthy(attacked, given.goodKey)
      })

  test(`after all attacks by load nothing is left of them (${engine})`, async () =>
    assertNothingLeft(await open()))
}
