/** The exit statuses of the commands, which scripts can test. */
export const exitCodes = { done: 0, refused: 1, usage: 2, connection: 3 } as const

/** An exit status of the commands. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The fault of a command that cannot do its task; the message names the cause and the remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.usage) {
    super(message)
    this.exitCode = exitCode
  }
}
