import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/**
 * Runs the program of an engine in a process from a round on, kills it after some answered rounds, and returns the last
 * of them.
 */
export async function runAndKill(
  program: string,
  folder: string,
  first: number,
  answered: number,
  delayMs: number,
): Promise<number> {
  const child = spawn(process.execPath, [program, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let last = first - 1
  // Rounds that are answered before the kill count too: only the next one may be there in part.
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (child.killed || last < first + answered) continue
    await sleep(delayMs)
    child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return last
}
