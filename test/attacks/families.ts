/** All attacks by what they attack, and the servers that they are meant for. */
import { agentScenes } from './agents-load.ts'
import { agentAttacks } from './requests/agents.ts'
import { answeredAttacks } from './requests/answered-arguments.ts'
import { argumentAttacks } from './requests/arguments.ts'
import type { Attack } from './attack.ts'
import { authenticationAttacks } from './requests/authentication.ts'
import { documentAttacks } from './requests/documents.ts'
import { exportAttacks } from './requests/exports.ts'
import { httpAttacks } from './requests/http.ts'
import { loadScenes } from './load.ts'
import { mediaAttacks } from './requests/media.ts'
import type { LoadScene } from './scenes.ts'
import { searchAttacks } from './requests/searches.ts'
import type { ServerName } from './world.ts'

export const families: readonly (readonly [name: string, server: ServerName, all: readonly Attack[]])[] = [
  ['HTTP', 'roomy', httpAttacks],
  ['media', 'roomy', mediaAttacks],
  ['documents', 'roomy', documentAttacks],
  ['arguments', 'roomy', [...argumentAttacks, ...answeredAttacks]],
  ['searches', 'roomy', searchAttacks],
  ['exports', 'roomy', exportAttacks],
  ['keys', 'proxied', authenticationAttacks],
  ['agents', 'agents', agentAttacks],
]

export const scenes: readonly LoadScene[] = [...loadScenes, ...agentScenes]
