import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'

/** Whether a program is on the PATH. */
export const hasProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some(folder => existsSync(join(folder, name)))

/** The result of a program that has ended. */
export interface Ended {
  readonly status: number | null
  readonly output: Buffer
  readonly errors: string
}

/** Starts a program with an input; returns the process and its result. */
export function started(
  program: string,
  args: readonly string[],
  input: string | Uint8Array = '',
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  // A program that ends early leaves its input unread.
  child.stdin.on('error', () => undefined).end(input)
  const ended = (async () => {
    const [output, errors] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')])
    return { status: child.exitCode, output, errors }
  })()
  return { child, ended }
}

/** Runs a program to its end. */
export const run = (program: string, args: readonly string[], input?: string | Uint8Array): Promise<Ended> =>
  started(program, args, input).ended
