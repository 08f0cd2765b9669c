import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import type { Labels } from '../../../../domain/observability/metrics/samples.ts'
import { parseSelector } from '../../../../domain/observability/promql/language/parse.ts'
import type { Matcher } from '../../../../domain/observability/promql/matcher.ts'
import { valueOf } from '../../../../domain/observability/metrics/label-key.ts'

/** The retention of each series of a workspace. */
export class SeriesRetention {
  readonly #defaultMs: number
  readonly #selected: readonly { readonly matchers: readonly Matcher[]; readonly retentionMs: number }[]

  /** Throws QUERY_SYNTAX_INVALID for a selector that cannot be parsed. */
  constructor({ defaultMs, selected }: TelemetryRetention) {
    this.#defaultMs = defaultMs
    this.#selected = selected.map(({ retentionMs, selector }) => ({
      matchers: parseSelector(selector, 'selector'),
      retentionMs,
    }))
  }

  /** The longest and the shortest retention of any series, in milliseconds. */
  get longestMs(): number {
    return Math.max(this.#defaultMs, ...this.#selected.map(({ retentionMs }) => retentionMs))
  }
  get shortestMs(): number {
    return Math.min(this.#defaultMs, ...this.#selected.map(({ retentionMs }) => retentionMs))
  }

  /** Returns the retention of a series in milliseconds: that of the first policy whose selector it fits. */
  of(labels: Labels): number {
    return this.ofPolicy(this.policyOf(labels))
  }

  /** Returns the number of the first policy whose selector a series fits; -1 for the default. */
  policyOf(labels: Labels): number {
    return this.#selected.findIndex(({ matchers }) => fits(labels, matchers))
  }

  /** Finds what `policyOf` returns, with a step for each policy. */
  *policySearch(labels: Labels): Generator<void, number> {
    for (const [number, { matchers }] of this.#selected.entries()) {
      if (fits(labels, matchers)) return number
      yield
    }
    return -1
  }

  /** Returns the retention of the policy with a number in milliseconds; -1 is the default. */
  ofPolicy(number: number): number {
    return this.#selected[number]?.retentionMs ?? this.#defaultMs
  }
}

/** Whether a series fits all matchers. */
const fits = (labels: Labels, matchers: readonly Matcher[]): boolean =>
  matchers.every(({ name, test }) => test(valueOf(labels, name)))
