import { ApiError, type ErrorDetails, type Reason } from '../../../../runtime/errors.ts'

/** An error on its way between threads, which keep neither the class nor the members of an error. */
export type SentError =
  | {
      readonly kind: 'answer'
      readonly reason: Reason
      readonly message: string
      readonly metadata: Readonly<Record<string, string>>
      readonly details: ErrorDetails
    }
  /** A file cannot be used. */
  | { readonly kind: 'file'; readonly message: string }
  | { readonly kind: 'defect'; readonly message: string; readonly stack: string }

/** The error of an engine that cannot use a file now; the message names the file, and is for operators only. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

/** Returns what another thread needs to know about an error. */
export function sentError(error: unknown): SentError {
  if (error instanceof ApiError) {
    const { code, details, domain, message, metadata, reason, rpc } = error
    return { kind: 'answer', reason: { reason, rpc, code, domain }, message, metadata, details }
  }
  if (!(error instanceof Error)) return { kind: 'defect', message: String(error), stack: '' }
  if (error.name === 'FileFault') return { kind: 'file', message: error.message }
  return { kind: 'defect', message: error.message, stack: error.stack ?? '' }
}

/** Returns the error that another thread has sent. */
export function receivedError(sent: SentError): Error {
  switch (sent.kind) {
    case 'answer':
      return new ApiError(sent.reason, sent.message, sent.metadata, sent.details)
    case 'file':
      return new UnusableFile(sent.message)
    case 'defect':
      return Object.assign(new Error(sent.message), { stack: sent.stack })
  }
}
