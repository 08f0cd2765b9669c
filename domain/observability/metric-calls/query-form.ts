import { queryRangeInvalid } from '../../../output/observability/errors.ts'
import type { MetricQueryInput, MetricRangeQueryInput } from '../../../output/observability/types.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'

/** The largest number of steps of a range. */
const maxSteps = 11_000

const [minTimeoutMs, maxTimeoutMs] = [1_000, 60_000] as const

const minStepMs = 1_000

function* timeoutFaults({ timeout }: { readonly timeout?: string }): Generator<FieldViolation> {
  if (timeout === undefined) return
  const ms = durationMs(timeout)
  if (!(ms >= minTimeoutMs && ms <= maxTimeoutMs)) yield { field: 'timeout', description: 'must be from 1s to 60s' }
}

/** The rules for the body of a query at one time beyond its schema (step 5). */
export const queryForm: readonly FormRule[] = [rulesOf<MetricQueryInput>()(['timeout'], timeoutFaults)]

/** The rules for the body of a query over a range beyond its schema (step 5). */
export const rangeQueryForm: readonly FormRule[] = [
  rulesOf<MetricRangeQueryInput>()(['timeout'], timeoutFaults),
  rulesOf<MetricRangeQueryInput>()(['step'], function* ({ step }) {
    if (!(durationMs(step) >= minStepMs)) yield { field: 'step', description: 'must be at least 1s' }
  }),
]

/** A range of times in milliseconds since 1970, both included; absent ends are open. */
export interface TimeRange {
  readonly start?: number
  readonly end?: number
}

/**
 * Returns the range between two times of a request. Throws QUERY_RANGE_INVALID at `end_time` if the range ends before it
 * starts.
 */
export function rangeOf(request: { readonly start_time?: string; readonly end_time?: string }): TimeRange {
  const start = request.start_time === undefined ? undefined : Date.parse(request.start_time)
  const end = request.end_time === undefined ? undefined : Date.parse(request.end_time)
  if (start !== undefined && end !== undefined && end < start)
    throw faultAt(queryRangeInvalid, 'end_time', 'must not be before start_time')
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
}

/** Throws QUERY_RANGE_INVALID at `step` if a range has more than 11,000 steps of `step` milliseconds. */
export function requireFewSteps(start: number, end: number, step: number): void {
  const steps = (end - start) / step
  if (steps <= maxSteps) return
  const message = `gives ${Math.ceil(steps)} steps; a range may have ${maxSteps}, so use a longer step or a shorter range`
  throw faultAt(queryRangeInvalid, 'step', message)
}
