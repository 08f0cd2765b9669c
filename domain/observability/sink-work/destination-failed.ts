/** The failure of a destination to take a batch. The message is for the owner of the sink, and names no secret. */
export class DestinationFailed extends Error {
  override readonly name = 'DestinationFailed'
  /** Whether the destination is gone, so that the sink is in ERROR at once. */
  readonly isAbsent: boolean

  constructor(message: string, isAbsent = false) {
    super(message)
    this.isAbsent = isAbsent
  }
}
