/** All attacks by what they attack. */
import type { Attack } from './attack.ts'
import { agentLoadAttacks } from './load/agents.ts'
import { floodAttacks } from './load/floods.ts'
import type { LoadAttack } from './load/load-attack.ts'
import { readerAttacks } from './load/readers.ts'
import { agentAttacks } from './requests/agents.ts'
import { answeredAttacks } from './requests/answered-arguments.ts'
import { argumentAttacks } from './requests/arguments.ts'
import { authenticationAttacks } from './requests/authentication.ts'
import { documentAttacks } from './requests/documents.ts'
import { exportAttacks } from './requests/exports.ts'
import { httpAttacks } from './requests/http.ts'
import { mediaAttacks } from './requests/media.ts'
import { searchAttacks } from './requests/searches.ts'

/** For the server called `roomy`. */
export const families: readonly (readonly [name: string, all: readonly Attack[]])[] = [
  ['HTTP', httpAttacks],
  ['media', mediaAttacks],
  ['documents', documentAttacks],
  ['arguments', [...argumentAttacks, ...answeredAttacks]],
  ['searches', searchAttacks],
  ['exports', exportAttacks],
  ['keys', authenticationAttacks],
  ['agents', agentAttacks],
]

export const loadAttacks: readonly LoadAttack[] = [...floodAttacks, ...readerAttacks, ...agentLoadAttacks]
