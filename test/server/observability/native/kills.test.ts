import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { killRounds, killTimeout } from '../../../areas/kill/kill-under-load.ts'
import { seeded } from '../../../areas/random.ts'
import { newFolder, testEngine, type TestEngine } from './engines.ts'
import { isDropped, roundsOfWorkspace, workspaceOf } from './kill-load.ts'
import { runAndKill } from './run-and-kill.ts'

const program = fileURLToPath(new URL('./killed-engine.ts', import.meta.url))

/** Expects all samples of the answered rounds of a workspace, or none after an answered drop. */
async function expectAnswered(
  { engine, folder, lines, query }: TestEngine,
  number: number,
  last: number,
): Promise<void> {
  const workspace = workspaceOf(number)
  const firstRound = number * roundsOfWorkspace
  const answered = Math.min(last, firstRound + roundsOfWorkspace - 1)
  if (answered < firstRound) return
  if (isDropped(answered)) {
    expect(existsSync(join(folder, 'observability', workspace))).toBe(false)
    return
  }
  // The next round may have begun to drop the workspace.
  if (isDropped(answered + 1)) return
  const { matrix } = await query(workspace, `g{round=~"${roundsTo(firstRound, answered)}"}[1d]`)
  expect(lines).toEqual([])
  const found = matrix.map(({ metric, points }) => [metric, points.map(({ value }) => value)] as const)
  expect(found).toHaveLength((answered - firstRound + 1) * 9)
  for (const [{ round }, values] of found) expect(values).toEqual([round, round, `${round}.5`])
  expect((await engine.usage(workspace)).activeSeries).toBeGreaterThanOrEqual(found.length)
}

const roundsTo = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i).join('|')

it(
  `no answered write is lost, and no dropped workspace comes back, after ${killRounds} kills`,
  { timeout: killTimeout },
  async () => {
    const folder = newFolder(onTestFinished)
    const random = seeded(killRounds)
    /** The last answered round of the process that wrote to a workspace, keyed by the number of the workspace. */
    const answered = new Map<number, number>()
    let round = 0
    for (let kill = 0; kill < killRounds; kill += 1) {
      const last = await runAndKill(program, folder, round, random.below(20), random.below(30))
      const running = testEngine(onTestFinished, folder)
      const lastWorkspace = Math.floor((last + 1) / roundsOfWorkspace)
      for (let number = round / roundsOfWorkspace; number <= lastWorkspace; number += 1) answered.set(number, last)
      for (const [number, lastRound] of [...answered].slice(-5)) await expectAnswered(running, number, lastRound)
      await running.engine.end()
      // The next process writes to a workspace of its own, because the interrupted round may have dropped this one.
      round = (lastWorkspace + 1) * roundsOfWorkspace
    }
  },
)
