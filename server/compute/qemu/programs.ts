import { execFile } from 'node:child_process'

/** A helper program failed. `message` holds the last line of its errors, for the log of the operator. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed'
}

/** The environment of all programs, which contains no secret of the server. */
export const programEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C' } as const

/** Returns the result of a function during which new processes inherit a mask that keeps their files private. */
export function withPrivateFiles<R>(run: () => R): R {
  const before = process.umask(0o077)
  try {
    return run()
  } finally {
    process.umask(before)
  }
}

/**
 * Runs a program in a folder until its end, and returns its output. The files that the program creates are accessible
 * to their owner only. Throws ProgramFailed; an aborted or late program is killed.
 */
export function runProgram(
  program: string,
  words: readonly string[],
  { folder, signal, timeoutMs }: { readonly folder: string; readonly signal?: AbortSignal; readonly timeoutMs: number },
): Promise<string> {
  const options = {
    cwd: folder,
    env: programEnvironment,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 20,
    ...(signal && { signal }),
  } as const
  return new Promise((resolve, reject) => {
    withPrivateFiles(() =>
      execFile(program, words, options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout)
        const fault = error.code === 'ENOENT' ? 'is not installed' : (lastLine(stderr) ?? error.message)
        reject(new ProgramFailed(`${program}: ${fault}`, { cause: error }))
      }),
    )
  })
}

const lastLine = (text: string): string | undefined => text.trim().split('\n').at(-1) || undefined
