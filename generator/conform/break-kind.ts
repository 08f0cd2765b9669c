/**
 * The kind of a broken constraint. `reset`: an update without a mask leaves a required member out. `type` and `null`
 * exist only in JSON, not in parameters that are text.
 */
export type BreakKind = 'missing' | 'reset' | 'type' | 'null' | 'value' | 'count' | 'unknown'
