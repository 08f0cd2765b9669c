import type { RetentionPolicyUpdate } from '../../../output/observability/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'

/** The shortest and the longest retention in seconds: an hour and ten years. */
const [shortest, longest] = [3_600, 315_360_000] as const

/** The rules for the bodies of retention policies beyond their schemas (step 5). */
export const retentionForm: readonly FormRule[] = [
  rulesOf<RetentionPolicyUpdate>()(['retention'], function* ({ retention }) {
    if (retention === undefined) return
    const seconds = durationMs(retention) / 1_000
    if (!(seconds >= shortest && seconds <= longest))
      yield { field: 'retention', description: `must be from ${shortest}s to ${longest}s` }
  }),
]
