import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { logFaults } from '../../../../../server/observability/native/logs/log-checks.ts'
import { SignalPlaces } from '../../../../../server/observability/native/files/places.ts'
import { killRounds, killTimeout } from '../../../../areas/kill/kill-under-load.ts'
import { seeded } from '../../../../areas/random.ts'
import { newFolder } from '../engines.ts'
import { runAndKill } from '../run-and-kill.ts'
import { linesOfRound, workspace } from './log-kill-load.ts'
import { testLogEngine } from './log-engines.ts'

const program = fileURLToPath(new URL('./killed-log-engine.ts', import.meta.url))

const nameOf = (line: string): string => line.slice(0, line.lastIndexOf(' '))

/** Returns the names of all lines of the workspace in the order of their ingest numbers. */
async function followed(folder: string): Promise<readonly string[]> {
  const { engine } = testLogEngine(onTestFinished, folder)
  const { signal } = new AbortController()
  const query = '{service_name="api"} |= "round"'
  const last = await engine.lastNumber(workspace)
  const names: string[] = []
  for (let after = 0; after < last;) {
    const page = await engine.tail(workspace, { query, after, last, limit: 20 }, signal)
    names.push(...page.entries.map(({ line }) => nameOf(line)))
    after = page.position
  }
  await engine.end()
  return names
}

it(
  `no acknowledged line is lost, and no line is there twice, after ${killRounds} kills`,
  async () => {
    const random = seeded(11)
    const folder = newFolder(onTestFinished)
    const acknowledged: string[] = []
    for (let kill = 0; kill < killRounds; kill += 1) {
      // The killed process may have written rounds after the last one that it named.
      const first = kill * 1000
      const last = await runAndKill(program, folder, first, 1 + random.below(12), random.below(60))
      for (let round = first; round <= last; round += 1) acknowledged.push(...linesOfRound(round).map(nameOf))
      const names = await followed(folder)
      expect(new Set(names).size).toBe(names.length)
      expect(names).toEqual(expect.arrayContaining(acknowledged))
      expect([...logFaults(new SignalPlaces(join(folder, 'observability'), workspace, 'logs'))]).toEqual([])
    }
  },
  killTimeout,
)
