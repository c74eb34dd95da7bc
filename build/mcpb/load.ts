/** In this folder, so that the packer is found among the packages that are installed here. */
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from '../../test/support/install.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))

/** The packer of bundles; installed when it is first needed, which requires a package registry. */
// oxlint-disable-next-line typescript/no-explicit-any -- Types must also check where the packer is not installed.
export async function loadPacker(): Promise<any> {
  if (!isInstalled(folder)) install(folder)
  const name = '@anthropic-ai/mcpb'
  return import(name)
}
