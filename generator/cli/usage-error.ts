/** An impossible command line. The message names the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
