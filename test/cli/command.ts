import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../ninefold.ts', import.meta.url))

/** Returns the program, words and options that start `ninefold`; `config` is its settings folder and working folder. */
export function commandFor(config: string, words: readonly string[]) {
  const { NODE_COMPILE_CACHE, PATH = '' } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, HOME: config, XDG_CONFIG_HOME: config, CI: 'true' }
  return { file: process.execPath, words: [main, ...words], options: { env, cwd: config } }
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * Runs `ninefold` in a process of its own, with `config` as its settings folder and with piped input; returns the exit
 * code and the output.
 */
export async function ninefold(config: string, words: readonly string[], input = ''): Promise<Ended> {
  const { file, options, words: all } = commandFor(config, words)
  const child = spawn(file, all, { ...options, stdio: 'pipe' })
  const code = new Promise<number | null>(resolve => child.on('close', resolve))
  // A command that ends before it has read its input closes the pipe, and the write fails.
  child.stdin.on('error', () => {}).end(input)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out, err }
}
