import { isRecord } from '../../../runtime/validation.ts'
import type { Finding, Inspection } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { retentionKind } from '../retention/retention-kind.ts'
import { retentionCollection, retentionRunCollection } from '../retention/retention-store.ts'
import { retentionEvaluation } from '../retention-work/orders.ts'
import { nextTime } from '../values/cron.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Checks that enabled retention policies have a time of their schedule as that of their next run, and that runs belong to
 * policies and are worked on. `last_evaluation` is history.
 */
export async function* inspectRetention(inspection: Pick<Inspection, 'reader' | 'workAt'>): Findings {
  const { reader } = inspection
  for await (const { id, value } of reader.each(retentionCollection)) {
    const { enabled, next_run_time, schedule } = value
    const message = timeFault(enabled, schedule, next_run_time)
    if (message !== undefined) yield { resourceType: retentionKind.type, id, message }
  }
  yield* inspectRuns(reader, inspection)
}

function timeFault(isEnabled: boolean, schedule: string, nextRunTime: string | undefined): string | undefined {
  if (!isEnabled) return nextRunTime === undefined ? undefined : 'has a next run, but is not enabled'
  if (nextRunTime === undefined) return 'is enabled, but has no next run'
  const timeMs = Date.parse(nextRunTime)
  return nextTime(schedule, timeMs - 1000) === timeMs ? undefined : `runs at ${nextRunTime}, not by "${schedule}"`
}

async function* inspectRuns(reader: Reader, { workAt }: Pick<Inspection, 'workAt'>): Findings {
  for await (const { id, value } of reader.each(retentionRunCollection)) {
    const policy = await reader.get(retentionCollection, id)
    const work = policy ? await workAt(workspaceScope(value.workspace_id)) : []
    const isWorkedOn = work.some(
      ({ input, kind }) =>
        kind === retentionEvaluation && isRecord(input) && input['policy'] === id && input['trialOf'] === undefined,
    )
    if (isWorkedOn) continue
    const message = policy ? `has run ${value.operation_id}, on which nothing works` : 'has a run, but does not exist'
    yield { resourceType: retentionKind.type, id, message }
  }
}
