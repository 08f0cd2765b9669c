import { spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { root } from '../project.ts'

/** The numbers of passed, failed and skipped tests. */
export interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** A line of the summary, with notes for the reader. */
export interface Result extends Count {
  readonly name: string
  readonly notes: readonly string[]
}

/** A running or finished program. */
export interface Run {
  /** The output of the program, both streams in the order of arrival. */
  readonly output: PassThrough
  /** The exit status; undefined if a signal ended the program or if it did not start. */
  readonly status: Promise<number | undefined>
}

const keptOutput = 64 * 1024 * 1024

/**
 * Starts a program with this Node.js in the root of the repository, without standard input. `more` extends the
 * environment of the program.
 */
export function runNode(args: readonly string[], more: Readonly<Record<string, string>> = {}): Run {
  const output = new PassThrough({ highWaterMark: keptOutput })
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...colour, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.pipe(output, { end: false })
  child.stderr.pipe(output, { end: false })
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  child.on('error', error => {
    output.end(`${error.message}\n`)
    resolve(undefined)
  })
  child.on('close', code => {
    output.end()
    resolve(code ?? undefined)
  })
  return { output, status: promise }
}

/**
 * Runs a program as one test, which passes if the exit status is 0. Otherwise the notes contain the output of the
 * program.
 */
export async function runCheck(name: string, args: readonly string[]): Promise<Result> {
  const { output, status } = runNode(args)
  const [printed, code] = await Promise.all([text(output), status])
  if (code === 0) return { name, passed: 1, failed: 0, skipped: 0, notes: [] }
  return {
    name,
    passed: 0,
    failed: 1,
    skipped: 0,
    notes: [printed.trimEnd(), `${name}: exit status ${code ?? 'none'}`],
  }
}
