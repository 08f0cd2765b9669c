import type { ErrorDomain } from '../runtime/errors.ts'

/** Whose errors those outside every area are (conventions §7). */
export const outside: ErrorDomain = { name: 'ninefold', base: 0 }
