import { addFormat, checkFormat, formatIn, selectFormat } from '../format.ts'
import { addGeneration, generationIn, selectGeneration } from '../schema-generation.ts'
import type { Layout } from '../layout.ts'
import type { SqliteConnection } from './connection.ts'
import { migrate } from './migrations.ts'
import { prepareTable } from './tables.ts'

/**
 * Migrates a file to the declarations and to `format`, in a transaction of the writer. Throws if another program or a
 * newer version of the program has written the file. Returns the generation of the tables.
 */
export function prepareSchema(writer: SqliteConnection, layouts: readonly Layout[], format: number): number {
  migrate(writer)
  const found = formatIn(writer.get(selectFormat))
  checkFormat(found, format)
  const isRaised = found < format
  if (isRaised) writer.run(addFormat, [format])
  const changed = layouts.filter(layout => prepareTable(writer, layout, isRaised))
  if (isRaised || changed.length > 0) writer.run(addGeneration)
  return generationIn(writer.get(selectGeneration))
}
