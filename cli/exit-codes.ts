/** How the commands end: other programs tell by it what to do. */
export const exitCodes = { done: 0, refused: 1, usage: 2, connection: 3 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command cannot do what it is asked; the message says why, and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.usage) {
    super(message)
    this.exitCode = exitCode
  }
}
