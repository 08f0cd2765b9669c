import type { RetentionPolicy } from '../../../output/registry/types.ts'
import type { WorkOrder } from '../../ports/procedures.ts'

/** The kind of the work that evaluates a retention policy. */
export const retentionEvaluation = 'registry.evaluateRetention'

/** The input of the work. */
export interface EvaluationOrder {
  /** The id of the policy. */
  readonly policy: string
  /** The etag of the policy that a trial is about; absent for a scheduled run. */
  readonly trialOf?: string
}

const orderOf = (input: EvaluationOrder): WorkOrder => ({ kind: retentionEvaluation, input })

/** Returns the order for a trial of the rules of a policy, which deletes nothing. */
export const trialOf = ({ etag, id }: Pick<RetentionPolicy, 'etag' | 'id'>): WorkOrder =>
  orderOf({ policy: id, trialOf: etag })

/** Returns the order for a scheduled run of a policy. */
export const runOf = ({ id }: Pick<RetentionPolicy, 'id'>): WorkOrder => orderOf({ policy: id })
