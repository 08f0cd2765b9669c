const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** The lifetime of an access token in milliseconds (iam.md 4.7). */
export const accessTokenMs = 15 * minuteMs

/** The maximal duration of a session in milliseconds. */
export const sessionMs = 30 * dayMs

/** The time in milliseconds without a refresh after which a session ends. */
export const idleMs = 7 * dayMs

/** The time in milliseconds in which a repeated use of a refresh token returns the same next refresh token. */
export const graceMs = 30_000

/** The time in milliseconds for which tokens are kept after their end. */
export const keptMs = 30 * dayMs

/** The maximal number of live sessions of a user. */
export const maxSessions = 20
