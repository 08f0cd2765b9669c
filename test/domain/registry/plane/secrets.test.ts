import { expect, it } from 'vitest'
import { recordedActivities } from '../../../areas/activities.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { OciClient, ociImage } from '../oci-client.ts'

it('no password and no token is in the log, in an activity, in an audit event or in an operation', async () => {
  const platform = await testPlatform()
  const { api, token: accessToken } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine: 'native' }
  await api.registry.createRepository({ ...at, body: { name: 'api' } })
  const { password } = await api.registry.getCredentials(at)
  const url = 'http://platform.test'
  const send = platform.from('192.0.2.7')
  const clients = [accessToken, password, 'a-wrong-password-of-somebody'].map(each => new OciClient(url, each, send))
  const scope = 'repository:acme/web/api:pull,push,delete'
  const secrets = [accessToken, password, 'a-wrong-password-of-somebody', 'a.forged.token-of-somebody']
  for (const client of clients) {
    const token = await client.token(scope)
    if (token.includes('.')) secrets.push(token)
    for (const given of [token, 'a.forged.token-of-somebody']) {
      for (const path of ['manifests/v1', `blobs/sha256:${'0'.repeat(64)}`, 'tags/list'])
        await client.send(`/v2/acme/web/api/${path}`, { token: given })
      const put = { method: 'PUT', headers: { 'content-type': ociImage }, body: '{}', token: given }
      await client.send('/v2/acme/web/api/manifests/v1', put)
      await client.send('/v2/acme/web/api/manifests/v1', { method: 'DELETE', token: given })
    }
  }
  const form = new URLSearchParams({ grant_type: 'password', username: 'any', password, scope })
  await send(`${url}/v2/_token`, { method: 'POST', body: form })
  expect(secrets.length).toBeGreaterThan(5)
  const told = JSON.stringify([
    platform.lines,
    await recordedActivities(platform.config),
    await api.registry.listAuditEvents({ workspace }),
    await api.registry.listOperations({}),
  ])
  expect(told.length).toBeGreaterThan(1000)
  // The signature alone is a secret too.
  const parts = secrets.flatMap(secret => [secret, secret.split('.').at(-1) ?? secret])
  expect(parts.filter(part => told.includes(part))).toEqual([])
})
