import { notBuilt, type Verdict } from './prove.ts'

/** The number of pairs that a call made, and of pairs that no call made. */
export interface Counts {
  readonly made: number
  /** The numbers of pairs that were not made, keyed by the reason. */
  readonly unmade: ReadonlyMap<string, number>
}

export function countsOf(verdicts: readonly Verdict[]): Counts {
  const unmade = new Map<string, number>()
  for (const { unmade: reason } of verdicts) if (reason !== undefined) unmade.set(reason, (unmade.get(reason) ?? 0) + 1)
  return { made: verdicts.filter(each => each.unmade === undefined).length, unmade }
}

/**
 * Formats the counts of all areas, a line for each, and then each pair that was not made with its reason. The pairs of
 * operations that are not built are counted alone.
 */
export function printCounts(verdicts: readonly Verdict[]): string {
  const areas = [...Map.groupBy(verdicts, ({ area }) => area)].map(([area, own]) => line(area, own))
  const unbuilt = verdicts.filter(({ unmade }) => unmade === notBuilt)
  const why = verdicts.flatMap(({ area, operationId, pair, unmade }) =>
    unmade === undefined || unmade === notBuilt ? [] : `  ${area}.${operationId}: ${pair}, because ${unmade}`,
  )
  return [...areas, line('all', verdicts), 'not made', ...why, `  ${unbuilt.length} pairs, because ${notBuilt}`].join(
    '\n',
  )
}

function line(name: string, verdicts: readonly Verdict[]): string {
  const operations = new Set(verdicts.map(({ area, operationId }) => `${area}.${operationId}`)).size
  const { made } = countsOf(verdicts)
  const [mutations, pairs, left] = [operations, made, verdicts.length - made].map(count => String(count).padStart(5))
  return `${name.padEnd(14)}${mutations} mutations${pairs} pairs made${left} not made`
}

/** Formats a line for each operation with its pairs; a pair in brackets was not made. */
export function printMatrix(verdicts: readonly Verdict[]): string {
  const operations = Map.groupBy(verdicts, ({ area, operationId }) => `${area}.${operationId}`)
  const rows = [...operations].map(([name, own]) => {
    const pairs = own.map(({ pair, unmade }) => (unmade === undefined ? pair : `[${pair}]`))
    return `${name}: ${pairs.join(', ')}`
  })
  return rows.join('\n')
}
