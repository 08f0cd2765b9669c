/**
 * The kind of a broken constraint. `reset` is an update without a mask that omits a required member. `type` and `null`
 * exist only in JSON, not in parameters that are text.
 */
export type BreakKind = 'missing' | 'reset' | 'type' | 'null' | 'value' | 'count' | 'unknown'
