import { beforeAll, describe, expect, it } from 'vitest'
import { registryMember } from '../members.ts'
import { faultOf, OciClient } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { afterTests } from '../../../undo.ts'

let served: ServedRegistry

beforeAll(async () => {
  served = await servedRegistry(afterTests)
})

const at = () => ({ workspace: served.workspace, engine: 'native' })

describe('the credentials of a caller', () => {
  it('sign an OCI client in, and say what the client may do', async () => {
    const { api, oci, repository, url, workspace } = served
    const id = await repository('api')
    await oci.pushImage('acme/web/api', 'v1', 'one')
    const member = await registryMember(served, 'reader', served, [
      'registry.artifacts.pull',
      'registry.credentials.get',
    ])
    const rule = {
      effect: 'REGISTRY_POLICY_EFFECT_ALLOW' as const,
      principals: [member.id],
      actions: ['REGISTRY_ACTION_PUSH' as const],
    }
    const body = { name: 'push', rules: [rule] }
    await api.registry.createRepositoryAccessPolicy({ ...at(), repository: id, body })
    const before = Date.now()
    const credentials = await member.api.registry.getCredentials({ ...at(), expires_in: '600s' })
    const after = Date.now()
    const { host } = new URL(url)
    const { password } = credentials
    expect(credentials).toMatchObject({
      registry_host: host,
      username: 'token',
      principal_id: member.id,
      docker_config: { auths: { [host]: { auth: Buffer.from(`token:${password}`).toString('base64') } } },
      scopes_summary: [
        { repository: '*', actions: ['REGISTRY_ACTION_PULL'] },
        { repository: 'api', actions: ['REGISTRY_ACTION_PULL', 'REGISTRY_ACTION_PUSH'] },
      ],
    })
    // A token ends at a whole second.
    const end = Date.parse(credentials.expire_time) - 600_000
    expect([end > before - 1000, end < after + 1000]).toEqual([true, true])
    const client = new OciClient(url, password)
    expect((await client.send('/v2/acme/web/api/manifests/v1')).status).toBe(200)
    const deleted = await client.send('/v2/acme/web/api/manifests/v1', { method: 'DELETE' })
    expect(faultOf(deleted)).toBe('403 DENIED IAM_PERMISSION_DENIED')
    const filter = `action=REGISTRY_AUDIT_ACTION_TOKEN_ISSUED AND principal_id="${member.id}"`
    expect((await api.registry.listAuditEvents({ workspace, filter })).audit_events).toHaveLength(1)
  })

  it('are kept by no cache, and last from 300 to 43200 seconds', async () => {
    const { accessToken, api, url, workspace } = served
    const path = `/registry/v1/workspaces/${workspace}/engines/native/credentials`
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${accessToken}` } })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    for (const expires_in of ['299s', '43201s', '0s'])
      await expect(api.registry.getCredentials({ ...at(), expires_in })).rejects.toMatchObject({
        reason: 'FIELD_INVALID',
        details: { badRequest: [{ field: 'expires_in', description: expect.any(String) }] },
      })
    for (const expires_in of ['300s', '43200s', '299.5s']) await api.registry.getCredentials({ ...at(), expires_in })
  })
})
