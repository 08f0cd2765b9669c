import type { Verdict } from './prove.ts'

/** The numbers of pairs, by result. */
export interface Counts {
  readonly made: number
  /** By the reason why they were not made. */
  readonly unmade: ReadonlyMap<string, number>
}

export function countsOf(verdicts: readonly Verdict[]): Counts {
  const unmade = new Map<string, number>()
  for (const { unmade: reason } of verdicts) if (reason !== undefined) unmade.set(reason, (unmade.get(reason) ?? 0) + 1)
  return { made: verdicts.filter(each => each.unmade === undefined).length, unmade }
}

/** The counts of all areas, a line each, and behind them the reasons, the most frequent first. */
export function printCounts(verdicts: readonly Verdict[]): string {
  const areas = [...Map.groupBy(verdicts, ({ area }) => area)].map(([area, own]) => line(area, own))
  const reasons = [...countsOf(verdicts).unmade].toSorted(([, one], [, other]) => other - one)
  const why = reasons.map(([reason, count]) => `${String(count).padStart(6)}  ${reason}`)
  return [...areas, line('all', verdicts), 'not made, because', ...why].join('\n')
}

function line(name: string, verdicts: readonly Verdict[]): string {
  const operations = new Set(verdicts.map(({ area, operationId }) => `${area}.${operationId}`)).size
  const { made } = countsOf(verdicts)
  const [mutations, pairs, left] = [operations, made, verdicts.length - made].map(count => String(count).padStart(5))
  return `${name.padEnd(14)}${mutations} mutations${pairs} pairs made${left} not made`
}

/** One line for each operation: its pairs, in brackets if they were not made. */
export function printMatrix(verdicts: readonly Verdict[]): string {
  const operations = Map.groupBy(verdicts, ({ area, operationId }) => `${area}.${operationId}`)
  const rows = [...operations].map(([name, own]) => {
    const pairs = own.map(({ pair, unmade }) => (unmade === undefined ? pair : `[${pair}]`))
    return `${name}: ${pairs.join(', ')}`
  })
  return rows.join('\n')
}
