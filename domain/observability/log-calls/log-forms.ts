import type { LogQueryInput, LogTailInput } from '../../../output/observability/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'

const minStepMs = 1_000

const maxWaitMs = 30_000

/** The rules for the body of a query of logs beyond its schema (step 5). */
export const logQueryForm: readonly FormRule[] = [
  rulesOf<LogQueryInput>()(['step'], function* ({ step }) {
    if (step !== undefined && !(durationMs(step) >= minStepMs))
      yield { field: 'step', description: 'must be at least 1s' }
  }),
]

/** The rules for the body of a tail of logs beyond its schema (step 5). */
export const logTailForm: readonly FormRule[] = [
  rulesOf<LogTailInput>()(['wait'], function* ({ wait }) {
    const ms = wait === undefined ? 0 : durationMs(wait)
    if (!(ms >= 0 && ms <= maxWaitMs)) yield { field: 'wait', description: 'must be from 0s to 30s' }
  }),
  rulesOf<LogTailInput>()(['cursor', 'start_time'], function* ({ cursor, start_time }) {
    if (start_time !== undefined && cursor !== undefined && cursor !== '')
      yield { field: 'start_time', description: 'must be absent with a cursor' }
  }),
]
