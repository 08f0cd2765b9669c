import type { Worker } from '../../ports/workers.ts'
import { applyAllRules, type Applying } from './apply-rules.ts'

/** The time between two runs of the rules, in milliseconds. */
const everyMs = 600_000

/** Returns the worker that applies the lifecycle rules of all buckets. Each server can run it: it changes rows and S3 stores alone. */
export const lifecycle = (environment: Applying): Worker => ({
  name: 'storage.lifecycle',
  everyMs,
  run: turn => applyAllRules(environment, turn),
})
