import { queryLimitExceeded } from '../../../output/observability/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { SlicedWork } from '../../resources/sliced-work.ts'
import { alertPageCollection } from '../alerts/alerts-store.ts'
import type { Labels } from '../metrics/samples.ts'
import type { Matcher } from '../promql/matcher.ts'
import { fitsAll, patternsSize, silenceMatchers } from './silence-matchers.ts'
import type { StoredSilence } from './silences-store.ts'

/** The longest time in milliseconds that the matching of alerts and silences takes for one call or one evaluation. */
const longestMs = 5_000

/** The members of a silence that determine which alerts it matches. */
type Matching = Pick<StoredSilence, 'id' | 'matchers'>

/** The silences of some alerts. */
export interface SilencedAlerts {
  /** The ids of the silences that match each alert, in the order of the silences. */
  readonly silencedBy: readonly (readonly string[])[]
  /** Whether all silences were compared: otherwise the comparison took too long, and some are missing. */
  readonly isWhole: boolean
}

/** Returns the error of a comparison of silences with alerts that takes too long. */
export function tooManyMatches(): ApiError {
  const description = `the comparison of silences with alerts may take ${longestMs / 1000} s`
  return queryLimitExceeded(description, { limit: 'silences' }, { quota: [{ subject: 'silences', description }] })
}

/** Returns which of some silences match alerts with these labels, in slices of the event loop for at most `limitMs`. */
export async function silencesOf(
  silences: readonly Matching[],
  alerts: readonly Labels[],
  limitMs = longestMs,
): Promise<SilencedAlerts> {
  const silencedBy: string[][] = alerts.map(() => [])
  const isWhole = await new SlicedWork(limitMs).run(
    comparison(silences, alerts, (id, alert) => silencedBy[alert]?.push(id)),
  )
  return { silencedBy, isWhole }
}

/**
 * Returns how many alerts of a workspace that have not ended each of some silences matches, whatever the states of the
 * silences are; pending alerts count. Throws QUERY_LIMIT_EXCEEDED if the comparison takes too long.
 */
export async function countMatched(
  reader: Reader,
  workspace: string,
  silences: readonly Matching[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map(silences.map(({ id }) => [id, 0]))
  if (silences.length === 0) return counts
  const work = new SlicedWork(longestMs)
  for await (const { value } of reader.each(alertPageCollection, { workspace_id: workspace })) {
    const alerts = value.alerts.filter(({ state }) => state !== 'ENDED').map(({ labels }) => labels)
    const steps = comparison(silences, alerts, id => counts.set(id, (counts.get(id) ?? 0) + 1))
    if (!(await work.run(steps))) throw tooManyMatches()
  }
  return counts
}

/** The cost of one step: the size of patterns times the characters that they read; about a millisecond. */
const costOfStep = 30_000

/** The cost of a comparison of one alert without a pattern. */
const leastCost = 30

/** Compares silences with alerts. One silence at a time has compiled patterns, which need memory. */
function* comparison(
  silences: readonly Matching[],
  alerts: readonly Labels[],
  matched: (id: string, alert: number) => void,
): Generator<void> {
  if (alerts.length === 0) return
  const longest = alerts.map(labels => Math.max(0, ...Object.values(labels).map(({ length }) => length)))
  yield
  for (const { id, matchers } of silences) {
    const compiled = compile(matchers)
    yield
    if (compiled === undefined) continue
    const size = patternsSize(matchers)
    let cost = 0
    for (const [i, labels] of alerts.entries()) {
      if (fitsAll(compiled, labels)) matched(id, i)
      cost += leastCost + size * (longest[i] ?? 0)
      if (cost < costOfStep) continue
      cost = 0
      yield
    }
  }
}

/** Compiles matchers; undefined if a pattern cannot be compiled, which the inspection of silences reports. */
function compile(matchers: StoredSilence['matchers']): readonly Matcher[] | undefined {
  try {
    return silenceMatchers(matchers)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
