import { payloadInvalid, payloadTooLarge } from '../../../output/observability/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'

/** The largest size of a body after its inflation, in bytes (conventions §20). */
export const maxInflatedBytes = 64 * 1024 * 1024

/** Returns PAYLOAD_INVALID; `description` ends the sentence that begins with the body. */
export const invalidPayload = (description: string): ApiError =>
  payloadInvalid(`the body ${description}`, { badRequest: [{ field: 'body', description }] })

/** Returns PAYLOAD_TOO_LARGE; `description` ends the sentence that begins with the body. */
export const largePayload = (description: string): ApiError =>
  payloadTooLarge(`the body ${description}`, { badRequest: [{ field: 'body', description }] })

/** The error of a body that is larger than 64 MiB after its inflation. */
export const tooManyBytes = (): ApiError =>
  largePayload('has more than 64 MiB after its inflation; send smaller batches')

/** Runs a reader of bytes, and throws PAYLOAD_INVALID with `description` in place of the errors of its libraries. */
export function readable<Value>(description: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof ApiError ? error : invalidPayload(description)
  }
}

/** The error of a message of protobuf that is not a request of its format. */
export const malformedMessage = (): ApiError => invalidPayload(malformed)

/** Runs a reader of messages of protobuf as `readable` does. */
export const readableMessage = <Value>(read: () => Value): Value => readable(malformed, read)

const malformed = 'is not a protobuf message of this request'
