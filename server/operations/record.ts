import type { Effect } from '../../domain/ports/operations.ts'
import type { OperationError, StepWarning } from '../../domain/ports/procedures.ts'
import { mayBecome, stateOf, type OperationState } from '../../runtime/operations.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Warning } from '../../domain/ports/warning.ts'

/** The operation record of an area, in the form of the store and of answers (conventions §5). */
export interface StoredOperation {
  readonly id: string
  readonly resource_id: string
  readonly resource_type: string
  readonly operation_type: string
  readonly status: string
  readonly insert_time: string
  readonly start_time?: string
  readonly end_time?: string
  readonly errors: readonly OperationError[]
  readonly warnings: readonly Warning[]
  readonly progress: number
  readonly scope_type: string
  readonly scope_id: string
  readonly principal_id: string
  readonly trace_id: string
}

/** The principal and the time of an operation; the trace id is empty if no caller requested it. */
export interface Cause {
  readonly principalId: string
  readonly traceId: string
  /** The time of the operation in milliseconds since 1970. */
  readonly now: number
}

/** The maximal number of different warnings of an operation, so that long work does not grow its record. */
const maxWarnings = 100

/**
 * Returns the record of an effect: DONE, or PENDING if work follows. The enums of the record have the prefix of `area`.
 */
export function newRecord(area: string, id: string, cause: Cause, effect: Effect): StoredOperation {
  const prefix = area.toUpperCase()
  const time = formatMillis(cause.now)
  const isDone = effect.procedure === undefined
  return {
    id,
    resource_id: effect.resourceId,
    resource_type: effect.resourceType,
    operation_type: `${prefix}_OPERATION_TYPE_${effect.type}`,
    status: statusOf(area, isDone ? 'DONE' : 'PENDING'),
    insert_time: time,
    ...(isDone && { start_time: time, end_time: time }),
    errors: [],
    warnings: merged([], effect.warnings ?? []),
    progress: isDone ? 100 : 0,
    scope_type: `${prefix}_SCOPE_TYPE_${effect.scope.type}`,
    scope_id: effect.scope.id,
    principal_id: cause.principalId,
    trace_id: cause.traceId,
  }
}

/** Returns the record of an operation whose work begins; the same record if the work begins again after a crash. */
export function running(area: string, record: StoredOperation, now: number): StoredOperation {
  if (stateOf(record) === 'RUNNING') return record
  return { ...moved(area, record, 'RUNNING'), start_time: formatMillis(now) }
}

/** The notes of a running step. */
export interface Notes {
  /** The progress in percent. */
  readonly progress: number
  readonly warnings: readonly StepWarning[]
}

/** Returns the record with the notes of a step. The progress never falls, and stays below 100 until DONE. */
export function noted(record: StoredOperation, { progress, warnings }: Notes): StoredOperation {
  const percent = Math.max(record.progress, Math.min(99, Math.floor(progress)))
  return { ...record, progress: percent, warnings: merged(record.warnings, warnings) }
}

/** Returns the record at its end: DONE if there are no errors. */
export function ended(
  area: string,
  record: StoredOperation,
  now: number,
  errors: readonly OperationError[] = [],
): StoredOperation {
  const end_time = formatMillis(now)
  if (errors.length === 0) return { ...moved(area, record, 'DONE'), end_time, progress: 100 }
  const told = errors.map(({ code, reason, description }) => ({ code, reason, description }))
  return { ...moved(area, record, 'ERROR'), end_time, errors: told }
}

/**
 * Returns the record in another state. Throws for an invalid change: never backwards, and never from an end state
 * (conventions §5).
 */
function moved(area: string, record: StoredOperation, to: OperationState): StoredOperation {
  const from = stateOf(record)
  if (from !== undefined && mayBecome(from, to)) return { ...record, status: statusOf(area, to) }
  throw new Error(`operation ${record.id} is ${record.status} and cannot become ${to}`)
}

const statusOf = (area: string, state: OperationState): string => `${area.toUpperCase()}_OPERATION_STATUS_${state}`

function merged(known: readonly Warning[], added: readonly StepWarning[]): readonly Warning[] {
  const warnings = [...known]
  for (const { code, description, isOnly } of added) {
    const place = warnings.findIndex(other => other.code === code && (isOnly || other.description === description))
    if (place >= 0) warnings[place] = { code, description }
    else if (warnings.length < maxWarnings) warnings.push({ code, description })
  }
  return warnings
}
