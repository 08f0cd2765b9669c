import type { TraceSearchInput } from '../../../output/observability/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { parseDuration } from '../../../runtime/timestamps.ts'

/** The rules for the body of a search beyond its schema (step 5). */
export const traceSearchForm: readonly FormRule[] = (['min_duration', 'max_duration'] as const).map(field =>
  rulesOf<TraceSearchInput>()([field], function* ({ [field]: duration }) {
    if (duration !== undefined && (parseDuration(duration) ?? -1n) < 0n)
      yield { field, description: 'must be a duration of at least 0s' }
  }),
)
