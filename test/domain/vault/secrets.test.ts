import { beforeAll, describe, expect, it } from 'vitest'
import { secretCollection } from '../../../domain/vault/secrets/secrets-store.ts'
import {
  payloadCollection,
  secretVersionCollection,
  versionRowId,
} from '../../../domain/vault/secrets/secret-versions-store.ts'
import { agenda, type AgendaKind } from '../../../domain/vault/work/agenda.ts'
import type { Secret } from '../../../output/vault/types.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { activitiesIn, recordedActivities } from '../../areas/activities.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { absentId } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantSecrets, type TenantSecrets } from './tenant-secrets.ts'
import { afterTests } from '../../undo.ts'

let tenant: TenantSecrets
let vault: TenantSecrets['admin']['api']['vault']
let names = 0
const newName = (): string => `secret-${(names += 1)}`

beforeAll(async () => {
  tenant = await tenantSecrets({ later: afterTests })
  vault = tenant.admin.api.vault
})

const past = (): string => new Date(Date.now() - 1000).toISOString()
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

/** Runs `change` on the store of the platform, as the passing of time would change it. */
async function inStore<R>(change: (store: Awaited<ReturnType<typeof openBeside>>) => Promise<R>): Promise<R> {
  const store = await openBeside(tenant.platform.config, storeCollections(areas))
  try {
    return await change(store)
  } finally {
    await store.close()
  }
}

/** Changes members of a secret, and the time of its due work. */
const age = (id: string, members: Partial<Secret>, kind: AgendaKind, resource = id): Promise<void> =>
  inStore(store =>
    store.tx(async tx => {
      const secret = await tx.lock(secretCollection, id)
      const entry = await tx.lock(agenda, `${kind}/${resource}`)
      if (!secret || !entry) throw new Error(`there is no ${kind} of ${resource}`)
      await tx.update(secretCollection, id, { ...secret.value, ...members }, secret.version)
      await tx.update(agenda, entry.id, { ...entry.value, due_time: past() }, entry.version)
    }),
  )

const reasonAt = (reason: string, field: string) => ({ reason, details: { badRequest: [{ field }] } })

describe('a secret', () => {
  it('has a name that is free again after its deletion', async () => {
    const { at, create } = tenant
    const name = newName()
    const id = await create(name)
    await expect(create(name)).rejects.toMatchObject({
      reason: 'SECRET_ALREADY_EXISTS',
      details: { resource: { type: 'vault.secrets', name } },
    })
    await vault.deleteSecret({ ...at, id })
    await expect(vault.getSecret({ ...at, id })).rejects.toMatchObject({ reason: 'SECRET_NOT_FOUND', code: 9_001_001 })
    expect(await create(name)).not.toBe(id)
  })

  it('is listed by name, and filtered by labels and times', async () => {
    const { at, create } = tenant
    const [one, two] = [newName(), newName()]
    await create(one, { labels: { team: 'shop' } })
    await create(two, { labels: { team: 'shop' }, expire_time: inDays(1) })
    const listed = async (filter: string) =>
      (await vault.listSecrets({ ...at, filter })).secrets.map(({ name }) => name)
    expect(await listed('labels.team = "shop"')).toEqual([one, two])
    expect(await listed(`labels.team = "shop" AND expire_time > "${inDays(0)}"`)).toEqual([two])
  })

  it.each([
    [{ expire_time: past() }, 'expire_time'],
    [{ expire_time: new Date(Date.now() + 30_000).toISOString() }, 'expire_time'],
    [{ expire_time: inDays(1), ttl: '3600s' }, 'ttl'],
    [{ ttl: '60s' }, 'ttl'],
    [{ version_destroy_delay: '3600s' }, 'version_destroy_delay'],
    [{ version_destroy_delay: '10368001s' }, 'version_destroy_delay'],
    [{ version_aliases: { latest: '1' } }, 'version_aliases.latest'],
    [{ rotation: { rotation_period: '3600s' } }, 'rotation.rotation_period'],
    [{ rotation: { rotation_period: '86400s', next_rotation_time: past() } }, 'rotation.next_rotation_time'],
  ] as const)('refuses %j', async (members, field) => {
    await expect(tenant.create(newName(), members)).rejects.toMatchObject(reasonAt('FIELD_INVALID', field))
  })

  it('refuses aliases to versions that do not exist or are destroyed, and keeps an alias that it has', async () => {
    const { add, at, create, read } = tenant
    const field = 'version_aliases.stable'
    await expect(create(newName(), { version_aliases: { stable: '1' } })).rejects.toMatchObject(
      reasonAt('SECRET_VERSION_NOT_FOUND', field),
    )
    const id = await create(newName())
    const set = (stable: string, more = {}) =>
      vault.updateSecret({ ...at, id, update_mask: 'version_aliases', body: { version_aliases: { stable, ...more } } })
    await add(id, 'one')
    await add(id, 'two')
    await set('1')
    expect(await read(id, 'stable')).toBe('one')
    await vault.destroySecretVersion({ ...at, secret: id, id: '1', body: {} })
    await expect(read(id, 'stable')).rejects.toMatchObject({ reason: 'SECRET_VERSION_DESTROYED' })
    await set('1', { current: '2' })
    await expect(set('1', { old: '1' })).rejects.toMatchObject(
      reasonAt('SECRET_VERSION_DESTROYED', 'version_aliases.old'),
    )
    await expect(read(id, 'constructor')).rejects.toMatchObject({ reason: 'SECRET_VERSION_NOT_FOUND' })
    // Verbs take numbers only.
    await expect(vault.disableSecretVersion({ ...at, secret: id, id: 'current', body: {} })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
    })
  })

  it('sets the next rotation by its period, and drops it with the rotation', async () => {
    const { at, create } = tenant
    const id = await create(newName(), { rotation: { rotation_period: '86400s' } })
    const { rotation } = await vault.getSecret({ ...at, id })
    expect(Math.abs(Date.parse(rotation?.next_rotation_time ?? '') - Date.parse(inDays(1)))).toBeLessThan(60_000)
    await vault.updateSecret({ ...at, id, update_mask: 'rotation', body: {} })
    expect(await vault.getSecret({ ...at, id })).not.toHaveProperty('rotation')
    expect(await inStore(store => store.count(agenda, { resource_id: id }))).toBe(0)
  })

  it.each([
    '2035-01-31t00:00:00.000Z',
    '2035-01-31T00:00:00z',
    '2035-01-31T14:00:00+14:00',
    '2035-01-31T00:00:00.0009Z',
  ])('answers the time %s in UTC with three fraction digits', async time => {
    const { at, create } = tenant
    const answered = '2035-01-31T00:00:00.000Z'
    const rotation = { rotation_period: '86400s', next_rotation_time: time }
    const id = await create(newName(), { expire_time: time, rotation })
    const expected = { expire_time: answered, rotation: { ...rotation, next_rotation_time: answered } }
    const { etag, ...before } = await vault.getSecret({ ...at, id })
    expect(before).toMatchObject(expected)
    await vault.updateSecret({ ...at, id, update_mask: 'expire_time,rotation', body: { expire_time: time, rotation } })
    expect(await vault.getSecret({ ...at, id })).toEqual({ ...before, etag })
    const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_MAC' as const
    const key = { name: newName(), purpose, rotation_period: '86400s', next_rotation_time: time }
    const { resource_id } = await vault.createCryptoKey({ ...at, body: key })
    expect(await vault.getCryptoKey({ ...at, id: resource_id })).toMatchObject({ next_rotation_time: answered })
    const body = { next_rotation_time: time.replace('2035', '2036') }
    await vault.updateCryptoKey({ ...at, id: resource_id, update_mask: 'next_rotation_time', body })
    const later = { next_rotation_time: answered.replace('2035', '2036') }
    expect(await vault.getCryptoKey({ ...at, id: resource_id })).toMatchObject(later)
  })

  it('that has expired is gone for every call, frees its name, and is deleted by the system', async () => {
    const { add, at, create, read } = tenant
    const [name, other] = [newName(), newName()]
    const [id, second] = [await create(name, { ttl: '3600s' }), await create(other, { ttl: '3600s' })]
    await add(id, 'one')
    // The agenda of the first secret stays in the future, so that only the calls find that it has expired.
    await inStore(store =>
      store.tx(async tx => {
        const secret = await tx.lock(secretCollection, id)
        if (secret) await tx.update(secretCollection, id, { ...secret.value, expire_time: past() }, secret.version)
      }),
    )
    const gone = { reason: 'SECRET_NOT_FOUND' }
    await expect(vault.getSecret({ ...at, id })).rejects.toMatchObject(gone)
    await expect(read(id, '1')).rejects.toMatchObject(gone)
    await expect(add(id, 'two')).rejects.toMatchObject(gone)
    await expect(vault.listSecretVersions({ ...at, secret: id })).rejects.toMatchObject(gone)
    await expect(vault.updateSecret({ ...at, id, body: {} })).rejects.toMatchObject(gone)
    await expect(vault.deleteSecret({ ...at, id })).rejects.toMatchObject(gone)
    await expect(vault.destroySecretVersion({ ...at, secret: id, id: '1', body: {} })).rejects.toMatchObject(gone)
    expect((await vault.listSecrets({ ...at, filter: `name = "${name}"` })).secrets).toEqual([])
    await create(name)
    await age(second, { expire_time: past() }, 'secrets.expire')
    await expect
      .poll(() => inStore(store => store.count(secretCollection, { id: [second] })), { timeout: 20_000 })
      .toBe(0)
    const { operations } = await vault.listOperations({ filter: `resource_id = "${second}"` })
    expect(operations.map(({ operation_type }) => operation_type)).toContain('VAULT_OPERATION_TYPE_DELETE')
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })

  it('announces a due rotation once, and moves it on by whole periods', async () => {
    const id = await tenant.create(newName(), { rotation: { rotation_period: '86400s' } })
    const next_rotation_time = inDays(-2.5)
    await age(id, { rotation: { rotation_period: '86400s', next_rotation_time } }, 'secrets.announceRotation')
    const timeOf = async () => (await vault.getSecret({ ...tenant.at, id })).rotation?.next_rotation_time ?? ''
    await expect.poll(timeOf, { timeout: 20_000 }).not.toBe(next_rotation_time)
    expect(Date.parse(await timeOf()) - Date.parse(next_rotation_time)).toBe(3 * 86_400_000)
    const announced = (await inStore(activitiesIn))
      .filter(({ action }) => action === 'vault.secrets.rotationDue')
      .map(({ category, resource_id }) => [resource_id, category])
    expect(announced).toEqual([[id, 'SYSTEM']])
  })
})

describe('a version', () => {
  it('has at most 65536 bytes, may be empty, and has strict base64', async () => {
    const { at, create } = tenant
    const secret = await create(newName())
    const add = (data: string) => vault.addSecretVersion({ ...at, secret, body: { payload: { data } } })
    await add(Buffer.alloc(65_536, 1).toString('base64'))
    await expect(add(Buffer.alloc(65_537, 1).toString('base64'))).rejects.toMatchObject({
      ...reasonAt('SECRET_PAYLOAD_TOO_LARGE', 'payload.data'),
      code: 9_001_005,
    })
    for (const data of ['YQ', 'YQ=', '_-8=', 'YR==', 'Y Q==', '====']) {
      await expect(add(data)).rejects.toMatchObject(reasonAt('FIELD_INVALID', 'payload.data'))
    }
    await add('')
    const empty = await vault.getSecretVersion({ ...at, secret, id: 'latest' })
    expect(empty).toMatchObject({ payload: { data: '', data_crc32c: 0 }, payload_size_bytes: 0 })
    expect(empty.payload_crc32c_given).toBe(false)
  })

  it('is named latest before the first version in vain', async () => {
    const { at, create, read } = tenant
    const secret = await create(newName())
    expect(await vault.getSecret({ ...at, id: secret })).toMatchObject({ latest_version: '', enabled_version_count: 0 })
    await expect(read(secret, 'latest')).rejects.toMatchObject({ reason: 'SECRET_VERSION_NOT_FOUND', code: 9_002_001 })
    await expect(read(absentId, 'latest')).rejects.toMatchObject({ reason: 'SECRET_NOT_FOUND' })
  })

  it('is changed only with its present etag, and a repeated verb changes nothing', async () => {
    const { add, at, create } = tenant
    const secret = await create(newName())
    await add(secret, 'one')
    const version = () =>
      vault.getSecretVersion({ ...at, secret, id: '1', view: 'VAULT_SECRET_VERSION_VIEW_BASIC' as const })
    const { etag } = await version()
    const disable = (body: object) => vault.disableSecretVersion({ ...at, secret, id: '1', body })
    expect(await disable({ etag })).toMatchObject({ operation_type: 'VAULT_OPERATION_TYPE_DISABLE' })
    await expect(disable({ etag })).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
    const disabled = await version()
    await disable({})
    expect(await version()).toEqual(disabled)
    expect(await disable({ disabled: false })).toMatchObject({ operation_type: 'VAULT_OPERATION_TYPE_ENABLE' })
    expect(await vault.getSecret({ ...at, id: secret })).toMatchObject({ enabled_version_count: 1 })
  })

  it('has another etag than all other versions, so that a conditional read of latest finds a new value', async () => {
    const { add, admin, at, create, platform } = tenant
    const secret = await create(newName(), {})
    const latest = async (tag?: string) => {
      const path = `/vault/v1/workspaces/${at.workspace}/engines/${at.engine}/secrets/${secret}/versions/latest`
      const headers = { authorization: `Bearer ${admin.token}`, ...(tag !== undefined && { 'if-none-match': tag }) }
      const response = await platform.from('192.0.2.7')(`${baseUrl}${path}`, { headers })
      return { status: response.status, tag: response.headers.get('etag') ?? '' }
    }
    await add(secret, 'one')
    const first = await latest()
    expect((await latest(first.tag)).status).toBe(304)
    await add(secret, 'two')
    const second = await latest(first.tag)
    expect(second.status).toBe(200)
    for (const disabled of [true, false])
      await vault.disableSecretVersion({ ...at, secret, id: '1', body: { disabled } })
    await add(secret, 'three')
    const { versions } = await vault.listSecretVersions({ ...at, secret })
    expect(new Set([first.tag, second.tag, ...versions.map(({ etag }) => `"${etag}"`)]).size).toBe(4)
  })

  it('of a secret with a delay is disabled until it is destroyed, and can be brought back before', async () => {
    const { add, at, create, read } = tenant
    const secret = await create(newName(), { version_destroy_delay: '86400s' })
    await add(secret, 'one')
    const path = { ...at, secret, id: '1' }
    const destroy = () => vault.destroySecretVersion({ ...path, body: {} })
    const version = () => vault.getSecretVersion({ ...path, view: 'VAULT_SECRET_VERSION_VIEW_BASIC' as const })
    await destroy()
    const scheduled = await version()
    expect(scheduled.state).toBe('VAULT_SECRET_VERSION_STATE_DISABLED')
    expect(Math.abs(Date.parse(scheduled.scheduled_destroy_time ?? '') - Date.parse(inDays(1)))).toBeLessThan(60_000)
    await destroy()
    expect(await version()).toEqual(scheduled)
    await vault.disableSecretVersion({ ...path, body: { disabled: false } })
    expect(await version()).not.toHaveProperty('scheduled_destroy_time')
    expect(await read(secret, '1')).toBe('one')
    await destroy()
    const row = versionRowId(secret, '1')
    await inStore(store =>
      store.tx(async tx => {
        const stored = await tx.lock(secretVersionCollection, row)
        if (!stored) throw new Error('the version is lost')
        const value = { ...stored.value, scheduled_destroy_time: past() }
        await tx.update(secretVersionCollection, row, value, stored.version)
      }),
    )
    await age(secret, {}, 'secretVersions.destroy', row)
    await expect
      .poll(async () => (await version()).state, { timeout: 20_000 })
      .toBe('VAULT_SECRET_VERSION_STATE_DESTROYED')
    expect(await version()).toMatchObject({ destroy_time: expect.any(String) })
    await expect(destroy()).rejects.toMatchObject({ reason: 'SECRET_VERSION_DESTROYED', code: 9_002_003 })
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })

  it('whose stored payload was altered or copied is never answered', async () => {
    const { add, create, read } = tenant
    const [mine, other] = [await create(newName()), await create(newName())]
    await add(mine, 'mine')
    await add(other, 'other')
    await inStore(store =>
      store.tx(async tx => {
        const from = await tx.get(payloadCollection, versionRowId(other, '1'))
        const to = await tx.lock(payloadCollection, versionRowId(mine, '1'))
        if (from && to)
          await tx.update(payloadCollection, to.id, { ...to.value, wrapped: from.value.wrapped }, to.version)
      }),
    )
    await expect(read(mine, '1')).rejects.toMatchObject({
      reason: 'STORED_DATA_CORRUPT',
      code: 9_000_102,
      response: { status: 500 },
    })
    expect(await read(other, '1')).toBe('other')
    const alarms = async () =>
      (await recordedActivities(tenant.platform.config)).filter(({ action }) => action === 'vault.items.corrupt')
    await expect.poll(async () => (await alarms()).length, { timeout: 20_000 }).toBe(1)
    expect((await alarms())[0]).toMatchObject({
      category: 'SYSTEM',
      outcome: 'FAILED',
      reason: 'STORED_DATA_CORRUPT',
      resource_type: 'vault.secretVersions',
      resource_id: versionRowId(mine, '1'),
      scope_id: tenant.workspace,
      principal_kind: 'SYSTEM',
    })
    expect(tenant.platform.lines.filter(line => line.startsWith('stored data of the vault is not'))).toHaveLength(1)
    await vault.deleteSecret({ ...tenant.at, id: mine })
  })
})
