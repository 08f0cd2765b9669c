import { readFileSync } from 'node:fs'

/** The common members of the handed AIP cases. `alt` lists outcomes that may stand instead of the expected one. */
export interface AipCase {
  readonly id: string
  readonly strength: 'must' | 'should' | 'choice'
  readonly note?: string
}

/** The cases of one file of `test/cases/aip`, as they stand there. */
export function aipCases<T extends AipCase>(name: string): readonly T[] {
  const path = new URL(`../cases/aip/${name}.json`, import.meta.url)
  const file: { readonly cases: readonly T[] } = JSON.parse(readFileSync(path, 'utf8'))
  return file.cases
}

/** A row of a test's table of differences must name a case that exists, else it hides nothing and says nothing. */
export function unknownIds(table: object, cases: readonly AipCase[]): readonly string[] {
  const known = new Set(cases.map(({ id }) => id))
  return Object.keys(table).filter(id => !known.has(id))
}
