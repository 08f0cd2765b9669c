import { setTimeout as nextPoll } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { serve } from '../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../areas/members.ts'
import { postgresUrl } from '../../../server/store/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { servedVault } from '../../vault/served-vault.ts'
import { registryMember } from '../members.ts'
import { faultOf, OciClient, type OciAnswer } from '../oci-client.ts'

/** The number of servers over one store. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The time after which a revoked grant allows nothing, in milliseconds (registry.md 7, scenario 5). */
const mostMs = 1000

/**
 * Repeats a call until it is refused, and returns the refusal and the milliseconds until the last allowed call began: a
 * busy machine may take longer than a second for one call.
 */
async function untilRefused(call: () => Promise<OciAnswer>): Promise<readonly [fault: string, ms: number]> {
  const since = performance.now()
  let allowedMs = 0
  for (;;) {
    const begunMs = performance.now() - since
    const answer = await call()
    if (answer.status >= 400) return [faultOf(answer), allowedMs]
    allowedMs = begunMs
    if (allowedMs > 30_000) throw new Error('the call is allowed for 30 seconds')
    await nextPoll(10)
  }
}

it('a revoked grant stops manifests within a second on every server, also with a token from before', async () => {
  const settings = { ...servedVault(), NINEFOLD_REGISTRY_HOST: 'registry.test' }
  const { addresses, servers } = await serve(await testStorePlace(), serverCount, { settings })
  const [first] = servers
  if (!first) throw new Error('no server was started')
  const { api, token } = await first.admin()
  const { workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine: 'native' }
  await api.registry.createRepository({ ...at, body: { name: 'api' } })
  const pusher = new OciClient(first.url, token)
  await expect
    .poll(async () => (await pusher.send('/v2/acme/web/api/blobs/uploads/', { method: 'POST' })).status)
    .toBe(202)
  await pusher.pushImage('acme/web/api', 'v1', 'granted')
  const other = await addTenant(api, 'friends')
  const friend = await registryMember({ api, url: first.url }, 'friend', other, ['registry.artifacts.pull'])
  const manifest = '/v2/acme/web/api/manifests/v1'
  const clients = addresses.map(address => new OciClient(address, friend.token))
  for (let round = 0; round < 3; round += 1) {
    const body = { grantee_workspace_id: other.workspace }
    const { resource_id: id } = await api.registry.createPullGrant({ ...at, body })
    const calls = await Promise.all(
      clients.map(async client => {
        const kept = await client.token('repository:acme/web/api:pull')
        await expect.poll(async () => (await client.send(manifest, { token: kept })).status).toBe(200)
        return () => client.send(manifest, { token: kept })
      }),
    )
    await api.registry.deletePullGrant({ ...at, id })
    const refusals = await Promise.all(calls.map(untilRefused))
    console.log(`allowed for ${refusals.map(([, ms]) => `${ms.toFixed(0)} ms`).join(', ')}; limit ${mostMs} ms`)
    for (const [fault, ms] of refusals) {
      expect(fault).toBe('403 DENIED IAM_PERMISSION_DENIED')
      expect(ms).toBeLessThan(mostMs)
    }
  }
})
