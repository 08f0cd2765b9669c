const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** The lifetimes of tokens (iam.md 4.7). */
export const accessTokenMs = 15 * minuteMs

/** The maximal duration of a session. */
export const sessionMs = 30 * dayMs

/** A session ends after this time without a refresh. */
export const idleMs = 7 * dayMs

/** The time in which a spent refresh token returns the same successor again. */
export const graceMs = 30_000

/** The time for which ended tokens stay visible. */
export const keptMs = 30 * dayMs

/** The maximal number of live sessions of a user. */
export const maxSessions = 20
