import { ApiError } from '../runtime/errors.ts'
import { OperationFailed } from '../runtime/operations.ts'
import { CommandError, exitCodes, type ExitCode } from './exit-codes.ts'
import { printable } from './printable.ts'

/** The report of an error: lines for standard error, and the exit status. */
export interface Report {
  readonly lines: readonly string[]
  readonly exitCode: ExitCode
}

/** The remedy for each reason with which many operations can fail, keyed by the reason. */
const advice: Readonly<Record<string, string>> = {
  TOKEN_MISSING: 'sign in first: ninefold login',
  TOKEN_INVALID: 'sign in again: ninefold login',
  TOKEN_EXPIRED: 'sign in again: ninefold login',
  TOKEN_REVOKED: 'sign in again: ninefold login',
  REFRESH_TOKEN_INVALID: 'the session has ended, sign in again: ninefold login',
  SESSION_ENDED: 'sign in again: ninefold login',
  INVALID_CREDENTIALS: 'check the address and the password; a new user sets one with: ninefold activate',
  CREDENTIAL_TOKEN_INVALID: 'it was used or has expired: ask an administrator for a new one',
  PERMISSION_DENIED: 'ask an administrator for a role that holds the permission',
  ETAG_MISMATCH: 'somebody else has changed it: read it again, and repeat with its etag',
  CONNECTION_FAILED: 'check that the server runs and that --url names it',
  DEADLINE_EXCEEDED: 'check that the server runs, or call again later',
  ANSWER_INVALID: 'check that --url names a ninefold server',
}

/** The reasons of errors that the client itself makes, without an error answer of the server. */
const unanswered: ReadonlySet<string> = new Set(['CONNECTION_FAILED', 'DEADLINE_EXCEEDED', 'ANSWER_INVALID'])

/**
 * Returns the report of an error: the fault, its cause and its remedy, with the texts of servers escaped. Rethrows an
 * unforeseen error.
 */
export function reportOf(error: unknown): Report {
  if (error instanceof CommandError) return { lines: [`error: ${printable(error.message)}`], exitCode: error.exitCode }
  if (error instanceof OperationFailed) return { lines: linesOfFailure(error), exitCode: exitCodes.refused }
  if (error instanceof ApiError) return reportOfApi(error)
  // The message of a failed system call names the file, such as on a full disk or in a folder of another user.
  if (error instanceof Error && 'syscall' in error) {
    return { lines: [printable(`error: ${error.message}`)], exitCode: exitCodes.usage }
  }
  throw error
}

function reportOfApi(error: ApiError): Report {
  const { details, message, metadata, reason, response, rpc } = error
  const isUnanswered = response === undefined && unanswered.has(reason)
  const { badRequest = [], retryAfterSeconds } = details
  const hint = Object.hasOwn(advice, reason) ? advice[reason] : undefined
  const lines = [
    `error: ${isUnanswered ? connectionText(error) : message}`,
    `  reason: ${reason} (${rpc})`,
    ...(badRequest.length > 1 ? badRequest.map(fault => `  ${fault.field}: ${fault.description}`) : []),
    ...Object.entries(metadata).map(([name, value]) => `  ${name}: ${value}`),
    ...(response?.requestId === undefined ? [] : [`  request: ${response.requestId}`]),
    ...(retryAfterSeconds === undefined ? [] : [`  try again in ${Math.ceil(retryAfterSeconds)} s`]),
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ]
  return { lines: lines.map(printable), exitCode: isUnanswered ? exitCodes.connection : exitCodes.refused }
}

/** Returns the message with the code of the inner error, because the message `fetch failed` alone names no cause. */
function connectionText({ cause, message }: ApiError): string {
  const inner = cause instanceof Error ? cause.cause : undefined
  const isCoded = inner instanceof Error && 'code' in inner && typeof inner.code === 'string'
  return isCoded ? `${message} (${inner.code})` : message
}

function linesOfFailure({ message, record, reason, errors }: OperationFailed): string[] {
  const others = errors.slice(1).map(({ description, reason: why }) => `  ${why}: ${description}`)
  const lines = [`error: ${message}`, `  reason: ${reason ?? 'unknown'}`, ...others, `  operation: ${record.id}`]
  return lines.map(printable)
}

/** Runs a command; reports its error on standard error, and sets the exit status of the process. */
export async function reporting(run: () => Promise<void>): Promise<void> {
  // The reader of the output may close the pipe early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // A command does its work also after the reader of its reports has ended.
  process.stderr.on('error', () => {})
  try {
    await run()
  } catch (error) {
    const { exitCode, lines } = reportOf(error)
    for (const line of lines) process.stderr.write(`${line}\n`)
    process.exitCode = exitCode
  }
}
