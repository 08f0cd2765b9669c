import type { Cost } from '../../../domain/iam/credentials/password-hash-format.ts'

/** The lowest cost of argon2id, for tests with passwords: hashes at full cost would take most of their time. */
export const quickCost: Cost = { memory: 8, passes: 1, parallelism: 1 }
