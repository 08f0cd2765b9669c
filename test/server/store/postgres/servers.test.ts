import { expect, it, onTestFinished } from 'vitest'
import { TaxonomyClient } from '../../../../output/taxonomy/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { areas } from '../../../../server/areas.ts'
import { openIam } from '../../../../server/iam/open.ts'
import type { HttpLimits } from '../../../../server/http/limits.ts'
import { serve, type RunningServer } from '../../../../server/serve.ts'
import { administratorFile, signIn } from '../../access/sign-in.ts'
import { testFolder, testPlace } from '../harness.ts'
import { startProxy } from './proxy.ts'

/** Starts a server with its own data folder on the common database, and returns its client. */
async function startServer(storeUrl: string): Promise<TaxonomyClient> {
  const server = await served(storeUrl)
  const token = await signIn(server.url)
  return new TaxonomyClient(createTransport({ baseUrl: server.url, token }))
}

async function served(storeUrl: string, limits: Partial<HttpLimits> = {}): Promise<RunningServer> {
  const dataDir = testFolder()
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false, limits }
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  const server = await serve({ baseUrl: undefined, dataDir, http, bootstrap, storeUrl }, areas, openIam)
  onTestFinished(() => server.close())
  return server
}

it('servers that start concurrently on an empty database are one platform', async () => {
  const place = await testPlace()
  const clients = await Promise.all(Array.from({ length: 3 }, () => startServer(place)))
  const creating = clients.flatMap(client =>
    Array.from({ length: 4 }, () => client.createOrganisation({ body: { name: 'acme' } }, { idempotencyKey: 'once' })),
  )
  const operations = await Promise.all(creating)
  expect(new Set(operations.map(({ id }) => id)).size).toBe(1)
  const lists = await Promise.all(clients.map(client => client.listOrganisations({})))
  for (const { organisations } of lists) {
    expect(organisations.map(({ name }) => name).sort()).toEqual(['acme', 'ninefold-system'])
  }
  const others = await Promise.allSettled(
    clients.map(client => client.createOrganisation({ body: { name: 'umbrella' } })),
  )
  const refused = others.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
  expect(refused).toHaveLength(2)
  for (const error of refused) expect(error).toMatchObject({ reason: 'ORGANISATION_ALREADY_EXISTS' })
})

it('a server ends while its database is silent', { timeout: 20_000 }, async () => {
  const proxy = await startProxy(await testPlace())
  const server = await served(proxy.url, { drainMs: 1000 })
  proxy.silence()
  // Without the end of the server, its wait for the database would last up to 25 s.
  await server.close()
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed')
})
