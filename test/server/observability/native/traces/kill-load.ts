import { spanId, traceId, type TestSpan } from '../../../../domain/observability/traces/sent-spans.ts'
import { dayMs, noon } from '../engines.ts'

/** The workspace of all rounds. */
export const killedWorkspace = '01a2210c-c3ad-71cd-b4c5-000000000001'

/** Noon is ten o'clock, so that eleven hours before lie in the day before. */
const yesterday = noon - 11 * 3_600_000

/**
 * Returns three concurrent writes of a round: parts of the trace of the round on two days, and a span of the trace of an
 * earlier round, which arrives late.
 */
export const spansOfRound = (round: number): readonly (readonly TestSpan[])[] => [
  [{ trace: traceId(round + 1), id: spanId(1), start: yesterday + round }],
  [
    { trace: traceId(round + 1), id: spanId(2), parent: spanId(1), start: noon - 1000 },
    { trace: traceId(round + 1), id: spanId(3), parent: spanId(1), start: yesterday },
  ],
  [{ trace: traceId(Math.floor(round / 2) + 1), id: spanId(100 + round), parent: spanId(1), start: noon - 500 }],
]

/** Returns a span of a trace of its own that the next purge ends, on a day with other spans. */
export const shortSpan = (round: number): TestSpan => ({
  trace: traceId(1_000_000 + round),
  id: spanId(1),
  start: yesterday + round,
  service: 'short',
})

/** The retention of the purges. */
export const shortRetention = {
  defaultMs: 7 * dayMs,
  selected: [{ selector: '{service_name="short"}', retentionMs: 3_600_000 }],
}
