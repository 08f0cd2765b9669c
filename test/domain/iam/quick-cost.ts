import type { Cost } from '../../../domain/iam/credentials/password-hash-format.ts'

/** The least that argon2id can cost, for tests of what passwords open: at full cost most of their time would go there. */
export const quickCost: Cost = { memory: 8, passes: 1, parallelism: 1 }
