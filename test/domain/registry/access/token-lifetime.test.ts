import { expect, it, onTestFinished } from 'vitest'
import type { AreaModule } from '../../../../server/area.ts'
import { areas } from '../../../../server/areas.ts'
import type { PlatformServices } from '../../../../server/area-parts.ts'
import { createClock } from '../../../../server/clock.ts'
import { addTenant } from '../../../areas/members.ts'
import { registryMember } from '../members.ts'
import { digestOf, faultOf } from '../oci-client.ts'
import { servedRegistry } from '../served-registry.ts'

/** Returns an area whose clock is ahead of the clock of the server by a time in milliseconds. */
const withClockAhead = (area: AreaModule, aheadMs: () => number): AreaModule => ({
  ...area,
  mount(parts: PlatformServices) {
    return area.mount({ ...parts, clock: createClock(() => parts.clock.now() + aheadMs()) })
  },
})

it('blobs are read by the token of a revoked grant until the token ends, and nothing else is', async () => {
  let aheadMs = 0
  const mounted = areas.map(area => (area.domain.name === 'registry' ? withClockAhead(area, () => aheadMs) : area))
  const served = await servedRegistry(onTestFinished, 86_400_000, { mounted })
  const { api, oci, workspace } = served
  await served.repository('api')
  const name = 'acme/web/api'
  const digest = await oci.pushImage(name, 'v1', 'granted')
  const other = await addTenant(api, 'friends')
  const permissions = ['registry.artifacts.pull', 'registry.artifacts.push', 'registry.artifacts.delete']
  const friend = await registryMember(served, 'friend', other, permissions)
  const at = { workspace, engine: 'native' }
  const { resource_id: id } = await api.registry.createPullGrant({
    ...at,
    body: { grantee_workspace_id: other.workspace },
  })
  const token = await friend.oci.token(`repository:${name}:pull,push,delete`)
  const fault = async (path: string, method = 'GET') => {
    const answer = await friend.oci.send(`/v2/${name}/${path}`, { method, token })
    return answer.status < 300 ? 'OK' : method === 'HEAD' ? String(answer.status) : faultOf(answer)
  }
  const blob = `blobs/${digestOf('granted')}`
  const blobReads = async () => [await fault(blob), await fault(blob, 'HEAD')]
  expect([await fault('manifests/v1'), await fault('tags/list'), ...(await blobReads())]).toEqual(Array(4).fill('OK'))
  await api.registry.deletePullGrant({ ...at, id })
  const denied = '403 DENIED IAM_PERMISSION_DENIED'
  expect([
    await fault('manifests/v1'),
    await fault('manifests/v1', 'HEAD'),
    await fault(`manifests/${digest}`),
    await fault('tags/list'),
    await fault(`referrers/${digest}`),
    await fault('blobs/uploads/', 'POST'),
    await fault(blob, 'DELETE'),
    await fault('manifests/v1', 'DELETE'),
  ]).toEqual([denied, '403', ...Array(6).fill(denied)])
  expect(await blobReads()).toEqual(['OK', 'OK'])
  aheadMs = 295_000
  expect(await blobReads()).toEqual(['OK', 'OK'])
  aheadMs = 301_000
  expect(await blobReads()).toEqual(['401 UNAUTHORIZED', '401'])
  const { headers } = await friend.oci.send(`/v2/${name}/${blob}`, { token })
  expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  // Tokens are issued by the clock of the server.
  aheadMs = 0
  friend.oci.forget()
  expect(faultOf(await friend.oci.send(`/v2/${name}/${blob}`))).toBe(denied)
})
