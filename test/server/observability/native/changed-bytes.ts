import { DatabaseSync } from 'node:sqlite'

/** Returns all forms of some bytes in which one bit is another. */
export const withChangedBit = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: bytes.length * 8 }, (_, bit) => withOtherBit(bytes, bit))

function withOtherBit(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return changed
}

/** Changes the lowest bit of a byte of a column in all rows of a table of a file; -1 is the last byte. */
export function changeByte(file: string, table: string, column: string, at: number): void {
  changeColumn(file, table, column, bytes => withOtherBit(bytes, (at < 0 ? bytes.length + at : at) * 8))
}

/** Changes the bytes of a column in all rows of a table of a file. */
export function changeColumn(
  file: string,
  table: string,
  column: string,
  change: (bytes: Uint8Array) => Uint8Array,
): void {
  const database = new DatabaseSync(file)
  database.function('changed', value => {
    if (typeof value === 'string') return Buffer.from(change(Buffer.from(value))).toString()
    return value instanceof Uint8Array ? change(value) : value
  })
  database.exec(`UPDATE ${table} SET ${column} = changed(${column})`)
  database.close()
}

/** Runs statements on a file. */
export function runSql(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** Returns the version of the format of a file. */
export function versionOf(file: string): unknown {
  const database = new DatabaseSync(file)
  const row = database.prepare('PRAGMA user_version').get()
  database.close()
  return row?.['user_version']
}
