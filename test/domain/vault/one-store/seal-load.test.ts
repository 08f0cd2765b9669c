import { expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { outcomeOf } from '../../outcomes.ts'
import { base64, keyCalls } from '../keys/tenant-keys.ts'
import { rotatedRoot } from '../other-key.ts'
import { secretCalls, tenantSecrets } from '../tenant-secrets.ts'

/** The number of calls of each kind that run concurrently. */
const load = 12

it('a server that is sealed under load answers VAULT_SEALED or the right answer, and changes nothing by halves', async () => {
  const first = await tenantSecrets()
  const { at, platform, workspace } = first
  const keys = keyCalls(first.admin, workspace)
  const key = await keys.create('k', 'AES_256_GCM')
  const secret = await first.create('password')
  await first.add(secret, 'one')
  const { vault } = first.admin.api
  const { ciphertext } = await vault.encrypt({ ...at, id: key, body: { plaintext: base64('text') } })
  // A second server starts with a new root key; the key of a workspace that it makes is unknown to the first server.
  const second = await testPlatform({ config: { ...platform.config, ...rotatedRoot(platform.config.dataDir) } })
  const { api } = await second.admin()
  const later = (await addTenant(api, 'later')).workspace
  const elsewhere = secretCalls({ api }, later)
  const unknown = await elsewhere.create('password')
  await elsewhere.add(unknown, 'later')
  const made: string[] = []
  const calls: readonly (() => Promise<unknown>)[] = Array.from({ length: load }, (_, i) => [
    async () => expect((await vault.decrypt({ ...at, id: key, body: { ciphertext } })).plaintext).toBe(base64('text')),
    async () => expect(await first.read(secret, '1')).toBe('one'),
    async () => {
      const answer = await vault.encrypt({ ...at, id: key, body: { plaintext: base64('in flight') } })
      made.push(answer.ciphertext)
    },
    () => vault.rotateCryptoKey({ ...at, id: key, body: {} }),
    () => first.add(secret, `value ${i}`),
  ]).flat()
  const sealing = secretCalls(first.admin, later)
  const outcomes = await Promise.all([
    ...calls.slice(0, calls.length / 2).map(call => outcomeOf(call())),
    outcomeOf(sealing.read(unknown, '1')),
    ...calls.slice(calls.length / 2).map(call => outcomeOf(call())),
  ])
  expect([...new Set(outcomes)].filter(outcome => outcome !== 'OK')).toEqual(['VAULT_SEALED'])
  for (const call of calls.slice(0, 5)) expect(await outcomeOf(call())).toBe('VAULT_SEALED')
  const there = { ...at, id: key }
  for (const each of made)
    expect((await api.vault.decrypt({ ...there, body: { ciphertext: each } })).plaintext).toBe(base64('in flight'))
  const { version_count } = await api.vault.getCryptoKey(there)
  expect(version_count).toBe(1 + outcomes.filter((outcome, i) => isRotation(i) && outcome === 'OK').length)
  const { latest_version } = await api.vault.getSecret({ ...at, id: secret })
  const values = secretCalls({ api }, workspace)
  for (let number = 1; number <= Number(latest_version); number += 1)
    expect(await values.read(secret, String(number))).toMatch(/^(?:one|value \d+)$/)
  expect(await doctorFindings(platform.config)).toEqual([])

  /** Whether the outcome with an index is of a rotation; the outcome of the sealing call lies in the middle. */
  function isRotation(i: number): boolean {
    const middle = calls.length / 2
    return i !== middle && (i < middle ? i : i - 1) % 5 === 3
  }
})

it('a server that starts without its key, and later with it, has lost nothing', async () => {
  const { add, at, create, platform, workspace, admin } = await tenantSecrets()
  const keys = keyCalls(admin, workspace)
  const key = await keys.create('k', 'AES_256_GCM')
  const secret = await create('password')
  await add(secret, 'one')
  const { vault } = admin.api
  const { ciphertext } = await vault.encrypt({ ...at, id: key, body: { plaintext: base64('text') } })
  const body = { payload: { data: base64('once') } }
  const { credential, resource_id: id } = await vault.createCapsule({ ...at, body })
  await platform.close()
  const sealed = await testPlatform({ config: { ...platform.config, isDev: false, given: new GivenSettings() } })
  const { api } = await sealed.admin()
  const calls = [
    () => api.vault.decrypt({ ...at, id: key, body: { ciphertext } }),
    () => api.vault.encrypt({ ...at, id: key, body: { plaintext: '' } }),
    () => api.vault.rotateCryptoKey({ ...at, id: key, body: {} }),
    () => api.vault.createCapsule({ ...at, body }),
    () => sealed.as().vault.redeemCapsule({ id, body: { token: credential?.token ?? '' } }),
    () => secretCalls({ api }, workspace).read(secret, '1'),
  ]
  expect(await Promise.all(calls.map(call => outcomeOf(call())))).toEqual(calls.map(() => 'VAULT_SEALED'))
  await sealed.close()
  const unsealed = await testPlatform({ config: platform.config })
  const again = (await unsealed.admin()).api
  expect((await again.vault.decrypt({ ...at, id: key, body: { ciphertext } })).plaintext).toBe(base64('text'))
  expect(await secretCalls({ api: again }, workspace).read(secret, '1')).toBe('one')
  const redeemed = await unsealed.as().vault.redeemCapsule({ id, body: { token: credential?.token ?? '' } })
  expect(redeemed.payload.data).toBe(base64('once'))
  expect(await doctorFindings(platform.config)).toEqual([])
})
