/**
 * Returns the result of `promise`, or undefined if it rejects or takes longer than `milliseconds`, so that a health
 * check never hangs.
 */
export async function resultWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, milliseconds)
  try {
    return await Promise.race([promise, late.promise])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
