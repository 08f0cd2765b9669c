import { expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { keyCalls, tenantKeys } from '../keys/tenant-keys.ts'

it('a sealed server that does the due work leaves the work to an unsealed server, which rotates keys', async () => {
  const first = await tenantKeys()
  const { config } = first.platform
  await first.platform.close()
  // The only server takes the leases, with or without a root key.
  await testPlatform({ config: { ...config, isDev: false, given: new GivenSettings() } })
  const unsealed = await testPlatform({ config })
  const { api } = await unsealed.admin()
  const { at, create } = keyCalls({ api }, first.workspace)
  const next_rotation_time = new Date(Date.now() + 9000).toISOString()
  const id = await create('k', 'AES_256_GCM', { rotation_period: '86400s', next_rotation_time })
  const version = async () => (await api.vault.getCryptoKey({ ...at, id })).primary_version
  await expect.poll(version, { timeout: 150_000, interval: 500 }).toBe('2')
}, 180_000)
