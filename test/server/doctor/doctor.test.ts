import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { trees } from '../../../domain/taxonomy/tree/nodes.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { storeFile } from '../../../server/platform-store.ts'
import { leftStore, patch } from '../../domain/taxonomy/broken-store.ts'
import { dataFolder, startServer } from '../../e2e/served.ts'
import { testFolder } from '../store/harness.ts'

const left = await leftStore()

const program = fileURLToPath(new URL('../../../ninefold.ts', import.meta.url))

/** Runs `ninefold doctor` over a data folder; returns the output and the exit code. */
async function doctor(dataDir: string, ...options: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', NINEFOLD_DATA_DIR: dataDir }
  const child = spawn(process.execPath, [program, 'doctor', ...options], {
    cwd: testFolder(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code }
}

describe('ninefold doctor', () => {
  it('finds nothing in a store while a server writes to it', async () => {
    const folder = dataFolder()
    onTestFinished(() => folder.remove())
    const server = await startServer(folder.path)
    onTestFinished(async () => void (await server.end('SIGKILL')))
    const client = new TaxonomyClient(server.transport)
    const over = new AbortController()
    const calls = (async () => {
      for (let i = 0; !over.signal.aborted; i += 1) await client.createOrganisation({ body: { name: `o-${i}` } })
    })()
    const { code, err, out } = await doctor(folder.path)
    over.abort()
    await calls
    expect({ code, err, out }).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/ninefold\.sqlite: nothing is wrong\n$/),
    })
    await server.end('SIGKILL')
    expect(await doctor(folder.path)).toMatchObject({ code: 0 })
  })

  it('prints findings with a last line for people or as JSON, and ends with 1', async () => {
    const { change, place } = await left.copy()
    const file = storeFile(place.dataDir)
    await change(tx => patch(tx, trees, left.names.acme, { group_count: 5 }))
    const message = 'counts 5 groups; the organisation has 2'
    const told = await doctor(place.dataDir)
    expect(told).toEqual({
      code: 1,
      err: '',
      out: `taxonomy.trees ${left.names.acme}: ${message}\n${file}: 1 finding\n`,
    })
    const { code, out } = await doctor(place.dataDir, '--json')
    const lines: unknown[] = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(code).toBe(1)
    expect(lines).toEqual([
      { area: 'taxonomy', resource_type: 'taxonomy.trees', id: left.names.acme, message },
      { file, findings: 1 },
    ])
  })

  it('reports a missing store, and creates none', async () => {
    const dataDir = join(testFolder(), 'data')
    expect(await doctor(dataDir)).toEqual({
      code: 1,
      out: '',
      err: `ninefold: ${join(dataDir, 'ninefold.sqlite')} does not exist, so that there is no store; "ninefold serve" makes it\n`,
    })
    expect(existsSync(dataDir)).toBe(false)
  })
})
