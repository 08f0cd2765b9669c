import { ApiError, commonReasons } from '../../runtime/errors.ts'

/**
 * The content of a version is absent or altered on its disk: ENGINE_UNAVAILABLE, as for a disk that fails, but a repeated
 * call finds the same.
 */
export class ContentLost extends ApiError {
  constructor() {
    const message = 'the content of the object is lost or altered; an operator must run the doctor'
    super(commonReasons.ENGINE_UNAVAILABLE, message, {}, { retryAfterSeconds: 60 })
  }
}
