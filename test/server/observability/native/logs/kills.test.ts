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

/** Returns the begin of a line. Its bytes are copied, because a part of a text would keep the whole line in memory. */
const nameOf = (line: string): string => Buffer.from(line.slice(0, line.lastIndexOf(' '))).toString()

/** Returns the names of the lines after an ingest number, in the order of these numbers, and the last number. */
async function followed(folder: string, since: number): Promise<{ names: readonly string[]; last: number }> {
  const { engine } = testLogEngine(onTestFinished, folder)
  const { signal } = new AbortController()
  const query = '{service_name="api"} |= "round"'
  const last = await engine.lastNumber(workspace)
  const names: string[] = []
  for (let after = since; after < last;) {
    const page = await engine.tail(workspace, { query, after, last, limit: 20 }, signal)
    names.push(...page.entries.map(({ line }) => nameOf(line)))
    after = page.position
  }
  await engine.end()
  return { names, last }
}

/** The number of kills after which all files are read again; after each other kill, only the new lines are read. */
const wholeEvery = 20

it(
  `no acknowledged line is lost, and no line is there twice, after ${killRounds} kills`,
  async () => {
    const random = seeded(11)
    const folder = newFolder(onTestFinished)
    const places = new SignalPlaces(join(folder, 'observability'), workspace, 'logs')
    const found: string[] = []
    const acknowledged: string[] = []
    let last = 0
    for (let kill = 0; kill < killRounds; kill += 1) {
      // The killed process may have written rounds after the last one that it named.
      const first = kill * 1000
      const answered = await runAndKill(program, folder, first, 1 + random.below(12), random.below(60))
      const lines: string[] = []
      for (let round = first; round <= answered; round += 1) lines.push(...linesOfRound(round).map(nameOf))
      const next = await followed(folder, last)
      expect(next.names).toEqual(expect.arrayContaining(lines))
      found.push(...next.names)
      acknowledged.push(...lines)
      last = next.last
      if ((kill + 1) % wholeEvery !== 0 && kill < killRounds - 1) continue
      expect((await followed(folder, 0)).names).toEqual(found)
      expect([...logFaults(places)]).toEqual([])
    }
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(acknowledged))
    console.log(`${killRounds} kills, ${acknowledged.length} acknowledged of ${found.length} lines`)
  },
  killTimeout,
)
