import { cronInvalid } from '../../../output/registry/errors.ts'
import type { ScanPolicy, ScanPolicyUpdate } from '../../../output/registry/types.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { faultAt, type FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { cronFault } from '../values/cron.ts'

const missing: FieldViolation = {
  field: 'schedule',
  description: 'is required with the trigger REGISTRY_SCAN_TRIGGER_SCHEDULED',
}

const lacksSchedule = ({ schedule = '', trigger }: Partial<Pick<ScanPolicy, 'schedule' | 'trigger'>>): boolean =>
  trigger === 'REGISTRY_SCAN_TRIGGER_SCHEDULED' && schedule === ''

/** The rule for the bodies of new scan policies beyond their schema (step 5). */
export const newScanPolicyForm: readonly FormRule[] = [
  rulesOf<ScanPolicyUpdate>()(['trigger', 'schedule'], function* (body) {
    if (lacksSchedule(body)) yield missing
  }),
]

/** Throws FIELD_INVALID for a policy that an update leaves without the schedule that its trigger needs. */
export function requireSchedule(policy: Pick<ScanPolicy, 'schedule' | 'trigger'>): void {
  if (lacksSchedule(policy)) throw fieldInvalid([missing])
}

/** Throws CRON_INVALID for a schedule that is no cron expression of five fields; an empty schedule is none. */
export function requireCron({ schedule = '' }: Pick<ScanPolicyUpdate, 'schedule'>): void {
  const fault = schedule === '' ? undefined : cronFault(schedule)
  if (fault !== undefined) throw faultAt(cronInvalid, 'schedule', fault)
}
