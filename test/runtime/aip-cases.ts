import { readFileSync } from 'node:fs'

/**
 * The common members of the cases in `test/cases/aip`. `alt` lists outcomes that are allowed in place of the expected
 * outcome.
 */
export interface AipCase {
  readonly id: string
  readonly strength: 'must' | 'should' | 'choice'
  readonly note?: string
}

/** Returns the cases of one file of `test/cases/aip`, unchanged. */
export function aipCases<T extends AipCase>(name: string): readonly T[] {
  const path = new URL(`../cases/aip/${name}.json`, import.meta.url)
  const file: { readonly cases: readonly T[] } = JSON.parse(readFileSync(path, 'utf8'))
  return file.cases
}

/** Returns the ids in a test's table of differences that name no case: such a row has no effect. */
export function unknownIds(table: object, cases: readonly AipCase[]): readonly string[] {
  const known = new Set(cases.map(({ id }) => id))
  return Object.keys(table).filter(id => !known.has(id))
}
