import type { StepName } from './step.ts'

/**
 * The steps that no call takes yet; a test fails once such a step responds. The set is empty when the order is
 * complete.
 */
export const pendingSteps: ReadonlySet<StepName> = new Set()
