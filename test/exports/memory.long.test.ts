/** Every format on every engine. */
import { fileFormats } from '../../src/files/file-spec.ts'
import { databases } from '../support/store/postgres.ts'
import { testMemory } from './memory.ts'

for (const format of fileFormats) testMemory(format, databases)
