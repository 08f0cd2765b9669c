import { spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { root } from '../project.ts'

/** How many tests of a check passed, failed and were left out. */
export interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** One line of the summary, and what a person should read about it. */
export interface Result extends Count {
  readonly name: string
  readonly notes: readonly string[]
}

/** A program of a check while it runs and afterwards. */
export interface Run {
  /** What it prints, both streams in the order they come. */
  readonly output: PassThrough
  /** The exit status; undefined when a signal ended it or it did not start. */
  readonly status: Promise<number | undefined>
}

const keptOutput = 64 * 1024 * 1024

/** Starts a program of this Node.js in the root of the repository, without stdin, with `more` in its environment. */
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

/** Runs a program that counts as one test: it passes with exit status 0, else all that it printed is shown. */
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
