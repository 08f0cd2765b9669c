import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { OsvDatabase } from '../../../../server/registry/advisories/osv-database.ts'
import { watchedTurns } from '../../../bench/measuring/turns.ts'
import { logLines } from '../../operations/work-bench.ts'
import { testFolder } from '../../store/harness.ts'
import { recordText } from './records.ts'

const { signal } = new AbortController()

it('packages of a large image are compared with advisories without holding the event loop', async () => {
  const folder = testFolder()
  const records = Array.from({ length: 40 }, (_, i) =>
    recordText({ id: `GHSA-${i}`, ecosystem: 'npm', name: `package-${i % 4}`, fixed: '2.0.0' }),
  )
  for (const [i, text] of records.entries()) writeFileSync(join(folder, `${i}.json`), text)
  const database = new OsvDatabase({ folder, dataDir: testFolder(), log: logLines(), everyMs: 10 })
  onTestFinished(() => database.end())
  await expect.poll(() => database.state()).toBeDefined()
  const packages = Array.from({ length: 150_000 }, (_, i) => ({
    ecosystem: 'npm',
    name: `package-${i % 1000}`,
    version: '1.0.0',
    purl: `pkg:npm/package-${i % 1000}@1.0.0`,
    path: `app/${i}/node_modules/package/package.json`,
    layer_digest: `sha256:${'a'.repeat(64)}`,
  }))
  let findings = 0
  const before = process.threadCpuUsage()
  const { longestCpu } = await watchedTurns(async () => {
    findings = (await database.match(packages, signal)).length
  })
  const { system, user } = process.threadCpuUsage(before)
  expect(findings).toBe(6000)
  // A turn takes some milliseconds, of a second and more.
  expect(longestCpu).toBeLessThan((system + user) / 1000 / 12)
})
