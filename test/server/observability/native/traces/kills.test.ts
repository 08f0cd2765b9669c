import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { killRounds, killTimeout } from '../../../../areas/kill/kill-under-load.ts'
import { seeded } from '../../../../areas/random.ts'
import { traceId } from '../../../../domain/observability/traces/sent-spans.ts'
import { newFolder } from '../engines.ts'
import { runAndKill } from '../run-and-kill.ts'
import { killedWorkspace, shortRetention, shortSpan, spansOfRound } from './kill-load.ts'
import { testTraceEngine } from './trace-engines.ts'

const program = fileURLToPath(new URL('./killed-trace-engine.ts', import.meta.url))

/** The number of traces that are read after each kill. */
const readTraces = 30

/** Returns the least number of spans of each trace after the answered rounds. */
function answeredSpans(rounds: readonly number[]): ReadonlyMap<string, number> {
  const ids = new Map<string, Set<string>>()
  for (const { id, trace } of rounds.flatMap(spansOfRound).flat())
    ids.set(trace, new Set([...(ids.get(trace) ?? []), id]))
  return new Map([...ids].map(([trace, spans]) => [trace, spans.size]))
}

/** Returns the number of stored spans whose trace the index does not have: no purge would find them. */
function strays(folder: string): number {
  const files = join(folder, 'observability', killedWorkspace, 'traces')
  let sum = 0
  for (const name of readdirSync(files).filter(each => /^2.*sqlite$/.test(each))) {
    const database = new DatabaseSync(join(files, name), { readOnly: true })
    database.exec(`ATTACH '${join(files, 'index.sqlite')}' AS idx`)
    const count = 'SELECT count(*) AS count FROM spans WHERE trace NOT IN (SELECT number FROM idx.traces)'
    sum += Number(database.prepare(count).get()?.['count'])
    database.close()
  }
  return sum
}

it(
  `no answered span is lost, and no expired span stays, after ${killRounds} kills`,
  { timeout: killTimeout },
  async () => {
    const folder = newFolder(onTestFinished)
    const random = seeded(killRounds)
    const answered: number[] = []
    let round = 0
    for (let kill = 0; kill < killRounds; kill += 1) {
      const last = await runAndKill(program, folder, round, random.below(8), random.below(30))
      for (; round <= last; round += 1) answered.push(round)
      const { engine, lines, spansOf } = testTraceEngine(onTestFinished, folder)
      const lost: string[] = []
      for (const [trace, count] of [...answeredSpans(answered)].slice(-readTraces)) {
        const found = await spansOf(killedWorkspace, trace)
        if (found < count) lost.push(`${found} of ${count} spans of trace ${trace}`)
      }
      expect(lost).toEqual([])
      expect(await spansOf(killedWorkspace, traceId(1))).toBeGreaterThanOrEqual(3)
      await engine.purge(killedWorkspace, shortRetention)
      const expired = answered.slice(-readTraces).map(each => shortSpan(each).trace)
      expect(await Promise.all(expired.map(trace => spansOf(killedWorkspace, trace)))).toEqual(expired.map(() => 0))
      expect(lines).toEqual([])
      await engine.end()
      expect(strays(folder)).toBe(0)
      // The interrupted round may have been written in part; it is written again by the next process.
    }
  },
)
