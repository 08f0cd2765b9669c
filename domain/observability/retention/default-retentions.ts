import type { SignalInput } from '../../../output/observability/types.ts'

const dayMs = 86_400_000

/** The retention of each signal in a workspace without a policy of its own, in milliseconds (observability.md 1). */
export const defaultRetentionsMs = {
  OBSERVABILITY_SIGNAL_METRICS: 15 * dayMs,
  OBSERVABILITY_SIGNAL_LOGS: 30 * dayMs,
  OBSERVABILITY_SIGNAL_TRACES: 7 * dayMs,
} as const satisfies Readonly<Record<SignalInput, number>>
