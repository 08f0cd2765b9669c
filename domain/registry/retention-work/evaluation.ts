import type { StepContext } from '../../ports/procedures.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { Tally } from '../retention/tally.ts'
import type { EvaluationOrder } from './orders.ts'

/** The parts that evaluations use. */
export type Evaluating = Pick<
  RegistryEnvironment,
  'audit' | 'clock' | 'collectionGraceMs' | 'pulls' | 'retentionCounts' | 'taxonomy'
>

/** The context of the work that evaluates a policy. */
export type EvaluationContext = StepContext<EvaluationOrder>

/** The evaluation of some repositories. */
export interface Evaluation {
  readonly tally: Tally
  /** Whether the evaluation ended early: its policy or its workspace does not want it any more. */
  readonly isOver: boolean
}
