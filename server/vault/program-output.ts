import { spawn, type ChildProcess } from 'node:child_process'

/** A program that gave no usable output. The message names the cause and never quotes the output. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault'
}

/** The limits of a program. */
export interface ProgramLimits {
  /** The maximal size of the standard output, in bytes. */
  readonly maxBytes: number
  /** The time after which the program is killed, in milliseconds. */
  readonly maxMs: number
}

/** The time that processes which outlive the program may keep its standard output open, in milliseconds. */
const lingerMs = 500

/**
 * Runs a program without arguments and returns its standard output, which may be secret; its standard error is ignored.
 * At a limit the program is killed by SIGKILL, which it cannot ignore. Throws `ProgramFault`.
 */
export async function programOutput(path: string, { maxBytes, maxMs }: ProgramLimits): Promise<Buffer> {
  const program = spawn(path, [], { stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true })
  const chunks: Buffer[] = []
  let size = 0
  let fault: string | undefined
  const kill = (cause: string): void => {
    fault ??= cause
    program.kill('SIGKILL')
  }
  const timer = setTimeout(() => kill(`it did not end within ${maxMs / 1000} s`), maxMs)
  program.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) kill(`it printed more than ${maxBytes} bytes`)
    else chunks.push(chunk)
  })
  try {
    const end = await endOf(program)
    if (fault !== undefined || end !== undefined) throw new ProgramFault(fault ?? end)
    return Buffer.concat(chunks)
  } finally {
    clearTimeout(timer)
    for (const chunk of chunks) chunk.fill(0)
  }
}

/** Resolves at the end of a program and its output, with the reason for which it failed; undefined for status 0. */
function endOf(program: ChildProcess): Promise<string | undefined> {
  return new Promise(resolve => {
    program.once('error', error => resolve(`it cannot be started (${'code' in error ? error.code : error.message})`))
    program.once('exit', () => {
      // A process that the program has left behind may hold the output open, but the program itself prints no more.
      // The immediate lets the event loop read first what the pipe holds.
      const timer = setTimeout(() => setImmediate(() => program.stdout?.destroy()), lingerMs)
      program.stdout?.once('close', () => clearTimeout(timer))
    })
    program.once('close', (status, signal) =>
      resolve(
        status === 0 ? undefined : status === null ? `it was ended by ${signal}` : `it ended with status ${status}`,
      ),
    )
  })
}
