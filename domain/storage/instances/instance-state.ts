import type { InstanceCondition, StorageClassInstance } from '../../../output/storage/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { FolderCheck } from './instance-folders.ts'
import type { StoredInstance } from './instances-store.ts'

type State = StorageClassInstance['state']

const prefix = 'STORAGE_CLASS_INSTANCE_STATE_'

/**
 * Returns a row after a check of its folder (storage.md 2): READY, READ_ONLY with less free space than the class must
 * keep, or DEGRADED. A full disk is READ_ONLY.
 */
export function checkedInstance(
  instance: StoredInstance,
  check: FolderCheck,
  minFreeBytes: number,
  now: number,
): StoredInstance {
  const { space } = check
  const isFull = check.kind === 'faulty' && check.reason === 'DiskFull'
  const isRoomy = !isFull && (space === undefined || space.availableBytes >= minFreeBytes)
  const isSound = check.kind === 'good' || isFull
  const state: State = !isSound ? `${prefix}DEGRADED` : isRoomy ? `${prefix}READY` : `${prefix}READ_ONLY`
  const time = formatMillis(now)
  const found = [
    isSound
      ? condition('Writable', true, 'ProbePassed', '')
      : condition('Writable', false, check.kind === 'faulty' ? check.reason : '', messageOf(check)),
    isRoomy
      ? condition('HasFreeSpace', true, 'EnoughFreeSpace', '')
      : condition('HasFreeSpace', false, 'TooLittleFreeSpace', `less than ${minFreeBytes} bytes are free`),
  ]
  return {
    ...instance,
    state,
    conditions: found.map(each => since(each, instance.conditions, time)),
    ...(space && {
      capacity_bytes: space.capacityBytes,
      used_bytes: space.usedBytes,
      available_bytes: space.availableBytes,
    }),
    last_check_time: time,
    ...(state !== instance.state && { update_time: time }),
  }
}

/** Returns the row of an instance whose folder could not be made; `check` has the reason. */
export function failedInstance(instance: StoredInstance, message: string, now: number): StoredInstance {
  const time = formatMillis(now)
  const failed = condition('Writable', false, 'ProvisionFailed', message)
  return {
    ...instance,
    state: `${prefix}FAILED`,
    conditions: [since(failed, instance.conditions, time)],
    update_time: time,
  }
}

type Found = Omit<InstanceCondition, 'last_transition_time'>

const condition = (type: string, isTrue: boolean, reason: string, message: string): Found => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
})

/** Returns a condition with the time of the last change of its status. */
function since(found: Found, before: readonly InstanceCondition[], now: string): InstanceCondition {
  const known = before.find(({ type }) => type === found.type)
  return { ...found, last_transition_time: known?.status === found.status ? known.last_transition_time : now }
}

const messageOf = (check: FolderCheck): string => (check.kind === 'faulty' ? check.message : '')
