import type { Worker } from '../../ports/workers.ts'
import { applyAllRules, type Applying } from './apply-rules.ts'

/** The time between two runs of the rules, in milliseconds. */
const everyMs = 600_000

/** Returns the worker that applies the lifecycle rules of all buckets. It changes rows alone, so each server can run it. */
export const lifecycle = (environment: Applying): Worker => ({
  name: 'storage.lifecycle',
  everyMs,
  run: turn => applyAllRules(environment, turn),
})
