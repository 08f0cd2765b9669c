/** The retention of metrics of a workspace without a policy of its own, in milliseconds: 15 days (observability.md 1). */
export const defaultRetentionMs = 15 * 86_400_000
