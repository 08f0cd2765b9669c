import { afterAll, describe, expect, it } from 'vitest'
import { TaxonomyClient } from '../../output/taxonomy/client.ts'
import { createTransport } from '../../runtime/transport.ts'
import { dataFolder, startServer } from './served.ts'

const folder = dataFolder()
afterAll(() => folder.remove())

describe('a server that is killed', () => {
  it('has lost no acknowledged change after a restart, and has repeated none', async () => {
    const first = await startServer(folder.path)
    const client = new TaxonomyClient(createTransport({ baseUrl: first.url, token: first.token, retries: 0 }))
    const acknowledged = new Map<string, string>()
    let sent = 0
    const write = async (): Promise<void> => {
      while (sent < 500) {
        const name = `org-${sent++}`
        const answer = await client.createOrganisation({ body: { name } }).catch(() => undefined)
        if (answer === undefined) return
        acknowledged.set(name, answer.resource_id)
        if (acknowledged.size === 150) void first.end('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 8 }, write))
    expect(acknowledged.size).toBeGreaterThanOrEqual(150)
    expect(sent).toBeLessThan(500)

    const second = await startServer(folder.path)
    const stored = new Map<string, string>()
    const recorded = new Map<string, number>()
    const again = new TaxonomyClient(second.transport)
    for await (const { id, name } of again.iterateOrganisations({ page_size: 100 })) stored.set(name, id)
    for await (const { resource_id } of again.iterateOperations({ page_size: 100 })) {
      recorded.set(resource_id, (recorded.get(resource_id) ?? 0) + 1)
    }
    for (const [name, id] of acknowledged) expect(stored.get(name)).toBe(id)
    for (const [name, id] of stored) if (name !== 'ninefold-system') expect(recorded.get(id)).toBe(1)
    expect(await second.end('SIGTERM')).toBe(0)
  })
})
