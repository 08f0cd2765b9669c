import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  addAccountKey,
  createServiceAccount,
  removeAccountKey,
} from '../../../../domain/iam/service-accounts/account-keys.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { areas } from '../../../../server/areas.ts'
import { asHost } from '../../../../server/iam/host.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'

const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()

it('a workspace is not empty while an operator’s service account has a key', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  const deletion = async (): Promise<unknown> => {
    try {
      await api.taxonomy.deleteWorkspace({ organisation, id: workspace })
      return 'OK'
    } catch (error) {
      if (error instanceof ApiError) return [error.reason, error.details.precondition]
      throw error
    }
  }
  const { config } = platform
  const id = await asHost(config, areas, parts => createServiceAccount(parts, { workspace, name: 'builder' }))
  const key = await asHost(config, areas, parts => addAccountKey(parts, id, { publicKey }))
  await api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  expect(await deletion()).toEqual([
    'WORKSPACE_NOT_EMPTY',
    [{ type: 'iam.serviceAccounts', subject: workspace, description: '1 left' }],
  ])
  await asHost(config, areas, parts => removeAccountKey(parts, id, key))
  // No command deletes an account, so an account without keys must not keep its workspace.
  expect(await deletion()).toBe('OK')
})

it('a forced deletion of a workspace ends the keys of its service accounts', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  const { config } = platform
  const id = await asHost(config, areas, parts => createServiceAccount(parts, { workspace, name: 'builder' }))
  await asHost(config, areas, parts => addAccountKey(parts, id, { publicKey }))
  await api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  await api.taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect
    .poll(async () => (await api.iam.getServiceAccount({ id })).status, { timeout: 20_000, interval: 50 })
    .toBe('DEACTIVATED')
})
