/** One JSON object per line, whose members are the columns. */
import { type FileSpec, type RowWriter, valueOf } from './file-spec.ts'

export function createNdjsonWriter({ columns }: Pick<FileSpec, 'columns'>): RowWriter {
  const members = columns.map(({ name, path }, index) => ({
    path,
    start: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
  }))
  return {
    begin: () => '',
    row: (row) => {
      let line = ''
      for (const { path, start } of members) line += start + JSON.stringify(valueOf(row, path))
      return `${line}}\n`
    },
    end: () => '',
  }
}
