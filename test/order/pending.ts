import type { StepName } from './step.ts'

/**
 * Steps that no call takes yet: that they answer is expected to fail, and a test says so once they do. Empty when the
 * order is whole.
 */
export const pendingSteps: ReadonlySet<StepName> = new Set()
