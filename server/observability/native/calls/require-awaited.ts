import { interrupted } from './engine-errors.ts'

/** Throws ENGINE_UNAVAILABLE if nobody waits for the result of the call in progress any more. */
export function requireAwaited(isAborted: () => boolean): void {
  if (isAborted()) throw interrupted()
}
