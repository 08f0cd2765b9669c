/** The error of an impossible command line; the message names the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
