const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** How long tokens are valid (iam.md 4.7). */
export const accessTokenMs = 15 * minuteMs

/** A session ends so long after it was opened. */
export const sessionMs = 30 * dayMs

/** A session ends when it was not refreshed for so long. */
export const idleMs = 7 * dayMs

/** A spent refresh token gets the same successor again for so long. */
export const graceMs = 30_000

/** Tokens are shown for so long after they have ended. */
export const keptMs = 30 * dayMs

/** Live sessions of one user. */
export const maxSessions = 20
