/**
 * The kinds of faults of an S3 store. `bucket`, `object`, `version` and `upload`: the store has no such thing. `exists`:
 * another account has the name. `notEmpty`: the bucket has content. `precondition`: a condition of the request does not
 * hold. `part`, `order` and `small`: a completion names a part that was not uploaded, parts out of order, or a part that
 * is too small. `invalid`: the request has a value that the store does not take. `unsupported`: the store does not have the function. `refused`: the store does not accept the
 * credentials, or does not permit the request. `unavailable`: the store does not answer, answers too late, or answers
 * what no S3 store answers.
 */
export type RemoteFaultKind =
  | 'bucket'
  | 'object'
  | 'version'
  | 'upload'
  | 'exists'
  | 'notEmpty'
  | 'precondition'
  | 'part'
  | 'order'
  | 'small'
  | 'invalid'
  | 'unsupported'
  | 'refused'
  | 'unavailable'

/** A request that an S3 store has not served. The message names neither the address of the store nor credentials. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault'
  readonly kind: RemoteFaultKind

  constructor(kind: RemoteFaultKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** Whether an error is a fault of an S3 store of one of these kinds. */
export const isFault = (error: unknown, ...kinds: readonly RemoteFaultKind[]): error is RemoteFault =>
  error instanceof RemoteFault && kinds.includes(error.kind)

/** Returns the result of a request; undefined if the request fails with a fault of one of these kinds. */
export async function unless<R>(request: Promise<R>, ...kinds: readonly RemoteFaultKind[]): Promise<R | undefined> {
  try {
    return await request
  } catch (error) {
    if (isFault(error, ...kinds)) return undefined
    throw error
  }
}
