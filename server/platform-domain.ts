import type { ErrorDomain } from '../runtime/errors.ts'

/** The error domain of requests outside of all areas (conventions §7). */
export const outside: ErrorDomain = { name: 'ninefold', base: 0 }
