import { readFileSync } from 'node:fs'

/** A row of a table, keyed by column. */
export type Row<Column extends string> = Readonly<Record<Column, string>>

/**
 * Returns the rows of `test/tables/<name>.tsv` in order. Throws if the table lacks a column, because a comparison with
 * an absent column would pass for the wrong reason.
 */
export function readTable<const Column extends string>(
  name: string,
  columns: readonly Column[],
): readonly Row<Column>[] {
  const text = readFileSync(new URL(`../tables/${name}.tsv`, import.meta.url), 'utf8')
  const [header = '', ...lines] = text.split('\n').filter(line => line !== '')
  const names = header.split('\t')
  return lines.map(line => {
    const cells = line.split('\t')
    const row = Object.fromEntries(names.map((column, index) => [column, cells[index] ?? '']))
    if (!hasColumns(row, columns)) throw new Error(`table ${name} lacks one of the columns ${columns.join(', ')}`)
    return row
  })
}

function hasColumns<Column extends string>(
  row: Readonly<Record<string, string>>,
  columns: readonly Column[],
): row is Row<Column> {
  return columns.every(column => column in row)
}

/** Returns the items of a comma-separated cell; `-` and the empty cell have none. */
export function itemsOf(cell: string): readonly string[] {
  return cell === '-' || cell === '' ? [] : cell.split(',').map(item => item.trim())
}
