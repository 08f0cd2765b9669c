import { createHash } from 'node:crypto'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../../domain/ports/store.ts'
import { capsulePayloads } from '../../../../domain/vault/capsules/capsules-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { addMember, roleAt } from '../../../areas/members.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { base64, inStore, redeemedText, setExpiry, tenantCapsules } from './tenant-capsules.ts'

const past = '2020-01-01T00:00:00.000Z'

describe('a capsule', () => {
  it('is redeemed once, and its token is answered once', async () => {
    const { admin, anyone, at, create, platform, redeem } = await tenantCapsules()
    const { vault } = admin.api
    const capsule = await create('one time', { name: 'gift', content_type: 'text/plain' })
    expect(capsule.token).toMatch(/^cap1\.[\w-]{43}$/)
    const { operations } = await vault.listOperations({ filter: `resource_id = "${capsule.id}"` })
    expect(JSON.stringify(operations)).not.toContain(capsule.token)
    const { id } = capsule
    const delivery = {
      id,
      state: 'VAULT_CAPSULE_STATE_ACTIVE',
      passphrase_required: false,
      recipient_restricted: false,
    }
    const shown = await anyone.vault.getCapsuleDelivery({ id })
    expect(shown).toMatchObject({ ...delivery, payload_size_bytes: 8, content_type: 'text/plain' })
    expect(Object.keys(shown).toSorted()).toEqual(
      [...Object.keys(delivery), 'expire_time', 'payload_size_bytes', 'content_type'].toSorted(),
    )
    expect(await redeem(capsule)).toBe('one time')
    expect(await vault.getCapsule({ ...at, id })).toMatchObject({
      state: 'VAULT_CAPSULE_STATE_REDEEMED',
      name: 'gift',
      redeemed_by_principal_id: '',
      redeemed_from_ip: '192.0.2.7',
      payload_commitment: createHash('sha256').update(`${capsule.token}\0one time`).digest('hex'),
    })
    await expect(redeem(capsule)).rejects.toMatchObject({
      reason: 'CAPSULE_NOT_ACTIVE',
      metadata: { state: 'VAULT_CAPSULE_STATE_REDEEMED' },
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('has a name after its id by default, and its link leads to the console', async () => {
    const { admin, at } = await tenantCapsules()
    const body = { payload: { data: base64('x') } }
    const { credential, resource_id: id } = await admin.api.vault.createCapsule({ ...at, body })
    expect((await admin.api.vault.getCapsule({ ...at, id })).name).toBe(`capsule-${id}`)
    expect(credential?.url).toMatch(new RegExp(`/capsule#${id}\\.${credential?.token.replace('.', '\\.')}$`))
  })

  it('answers no token to the retry of a creation', async () => {
    const { admin, at } = await tenantCapsules()
    const request = { ...at, 'Idempotency-Key': 'k', body: { payload: { data: base64('x') } } }
    expect((await admin.api.vault.createCapsule(request)).credential).toBeDefined()
    expect(await admin.api.vault.createCapsule(request)).not.toHaveProperty('credential')
  })

  it('copies a version of a secret, whose access is recorded', async () => {
    const { admin, at, platform, redeem } = await tenantCapsules()
    const { vault } = admin.api
    const { resource_id: secret_id } = await vault.createSecret({ ...at, body: { name: 's' } })
    await vault.addSecretVersion({ ...at, secret: secret_id, body: { payload: { data: base64('v1') } } })
    const { credential, resource_id: id } = await vault.createCapsule({ ...at, body: { source: { secret_id } } })
    expect(await redeem({ id, token: credential?.token ?? '' })).toBe('v1')
    const read = (await recordedActivities(platform.config)).filter(({ category }) => category === 'DATA_READ')
    expect(read.map(({ action, resource_id }) => [action, resource_id])).toEqual([
      ['createCapsule', `${secret_id}/versions/1`],
      ['redeemCapsule', id],
    ])
  })

  it.each([
    [
      'payload and source',
      { source: { secret_id: '01900000-0000-7000-8000-0000000000ff' } },
      'FIELD_INVALID',
      'payload',
    ],
    [
      'a wrong checksum',
      { payload: { data: base64('x'), data_crc32c: 1 } },
      'CHECKSUM_MISMATCH',
      'payload.data_crc32c',
    ],
    ['no bytes', { payload: { data: '' } }, 'FIELD_INVALID', 'payload.data'],
    ['a life of a second', { ttl: '1s' }, 'FIELD_INVALID', 'ttl'],
    ['a life of 31 days', { ttl: '2678400s' }, 'FIELD_INVALID', 'ttl'],
    ['an expiry in the past', { expire_time: past }, 'FIELD_INVALID', 'expire_time'],
    [
      'an unknown recipient',
      { recipient_principal_id: '01900000-0000-7000-8000-0000000000ff' },
      'FIELD_INVALID',
      'recipient_principal_id',
    ],
    [
      'an absent secret',
      { payload: undefined, source: { secret_id: '01900000-0000-7000-8000-0000000000ff' } },
      'SECRET_NOT_FOUND',
      'source.secret_id',
    ],
  ])('is refused with %s', async (_, members, reason, field) => {
    const { admin, at, platform } = await tenantCapsules()
    const { payload, ...more } = { payload: { data: base64('x') }, ...members }
    const body = { ...more, ...(payload && { payload }) }
    await expect(admin.api.vault.createCapsule({ ...at, body })).rejects.toMatchObject({
      reason,
      response: { status: 400 },
      details: { badRequest: [{ field }] },
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('a passphrase', () => {
  it('is counted when it is wrong, and locks the capsule after the last attempt', async () => {
    const { anyone, create, platform, redeem } = await tenantCapsules()
    const capsule = await create('x', { passphrase: 'correct horse', max_attempts: 2 })
    const wrong = (attempts_left: string) => ({
      reason: 'CAPSULE_PASSPHRASE_INVALID',
      metadata: { attempts_left },
      response: { status: 400, body: { code: 3 } },
    })
    await expect(redeem(capsule)).rejects.toMatchObject(wrong('2'))
    await expect(redeem(capsule, 'wrong horse')).rejects.toMatchObject(wrong('1'))
    expect(await anyone.vault.getCapsuleDelivery({ id: capsule.id })).toMatchObject({ passphrase_required: true })
    await expect(redeem(capsule, 'wrong again')).rejects.toMatchObject(wrong('0'))
    await expect(redeem(capsule, 'correct horse')).rejects.toMatchObject({
      reason: 'CAPSULE_NOT_ACTIVE',
      metadata: { state: 'VAULT_CAPSULE_STATE_LOCKED' },
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('whose last attempt has no outcome, because its server has failed, locks the capsule by the worker', async () => {
    const { admin, at, create, platform, redeem } = await tenantCapsules()
    const capsule = await create('x', { passphrase: 'correct horse', max_attempts: 1 })
    const { config } = platform
    const entryOf = (store: Store) => store.get(agenda, `capsules.expire/${capsule.id}`)
    const payload = await inStore(config, async store => {
      const stored = await store.get(capsulePayloads, capsule.id)
      if (!stored) throw new Error('the capsule has no payload')
      await store.tx(tx => tx.delete(capsulePayloads, capsule.id, stored.version))
      return stored.value
    })
    // The failure comes after the attempt was taken, as a kill would.
    await expect(redeem(capsule, 'correct horse')).rejects.toMatchObject({ reason: 'STORED_DATA_CORRUPT' })
    await inStore(config, store => store.tx(tx => tx.insert(capsulePayloads, payload)))
    await expect(redeem(capsule, 'correct horse')).rejects.toMatchObject({ metadata: { attempts_left: '0' } })
    expect(await doctorFindings(config)).toEqual([])
    const due = (await inStore(config, entryOf))?.value.due_time ?? ''
    expect(Date.parse(due)).toBeLessThan(Date.now() + 60_000)
    await inStore(config, store =>
      store.tx(async tx => {
        const entry = await tx.lock(agenda, `capsules.expire/${capsule.id}`)
        const due_time = new Date(Date.now() - 1000).toISOString()
        if (entry) await tx.update(agenda, entry.id, { ...entry.value, due_time }, entry.version)
      }),
    )
    const state = async () => (await admin.api.vault.getCapsule({ ...at, id: capsule.id })).state
    await expect.poll(state, { timeout: 20_000 }).toBe('VAULT_CAPSULE_STATE_LOCKED')
    expect(await inStore(config, store => store.count(capsulePayloads))).toBe(0)
    expect(await doctorFindings(config)).toEqual([])
  })

  it('opens the capsule in any Unicode form, and gives its attempt back', async () => {
    const { admin, at, create, redeem } = await tenantCapsules()
    const capsule = await create('x', { passphrase: 'schön genug' })
    await expect(redeem(capsule, 'hässlich genug')).rejects.toMatchObject({ reason: 'CAPSULE_PASSPHRASE_INVALID' })
    expect(await redeem(capsule, 'schön genug'.normalize('NFD'))).toBe('x')
    expect(await admin.api.vault.getCapsule({ ...at, id: capsule.id })).toMatchObject({ failed_attempts: 1 })
  })

  it('is ignored by a capsule without a passphrase', async () => {
    const { create, redeem } = await tenantCapsules()
    expect(await redeem(await create('x'), 'needless')).toBe('x')
  })

  it('is guessed by parallel callers at most as often as the capsule allows', async () => {
    const { admin, at, create, redeem } = await tenantCapsules()
    const capsule = await create('x', { passphrase: 'correct horse', max_attempts: 3 })
    const guesses = Array.from({ length: 10 }, (_, i) => redeem(capsule, `wrong guess ${i}`))
    const reasons = (await Promise.allSettled(guesses)).map(each => each.status === 'rejected' && each.reason.reason)
    expect(new Set(reasons)).not.toContain(false)
    const { failed_attempts, state } = await admin.api.vault.getCapsule({ ...at, id: capsule.id })
    expect([failed_attempts, state]).toEqual([3, 'VAULT_CAPSULE_STATE_LOCKED'])
  })
})

describe('a recipient', () => {
  it('alone can redeem the capsule', async () => {
    const { admin, create, platform, redeem, workspace } = await tenantCapsules()
    const grants = [roleAt('workspace-viewer', 'WORKSPACE', workspace)]
    const kim = await addMember(platform, admin.api, { email: 'kim@acme.test', grants })
    const lou = await addMember(platform, admin.api, { email: 'lou@acme.test', grants })
    const capsule = await create('for kim', { recipient_principal_id: kim.id })
    const mismatch = { reason: 'CAPSULE_RECIPIENT_MISMATCH', response: { status: 403 } }
    await expect(redeem(capsule)).rejects.toMatchObject(mismatch)
    await expect(redeemedText(lou.api, capsule)).rejects.toMatchObject(mismatch)
    expect(await redeemedText(kim.api, capsule)).toBe('for kim')
  })
})

describe('a wrong token', () => {
  it('is refused like an unknown capsule, and only wrong tokens are throttled', async () => {
    const { create, platform, redeem } = await tenantCapsules()
    const capsule = await create('x')
    const unknown = { ...capsule, id: '01900000-0000-7000-8000-0000000000ff' }
    const wrong = { ...capsule, token: `cap1.${'A'.repeat(43)}` }
    const errors = []
    for (const each of [wrong, unknown]) errors.push(await redeem(each).catch(error => error))
    const [first, second] = errors.map(({ code, message, metadata, reason, response }) => ({
      code,
      message,
      metadata,
      reason,
      status: response.status,
    }))
    expect(first).toMatchObject({ reason: 'CAPSULE_TOKEN_INVALID', status: 403 })
    expect(second).toEqual(first)
    let last = ''
    for (let i = 0; i < 40 && last !== 'CAPSULE_THROTTLED'; i += 1)
      last = (await redeem(wrong).catch(error => error)).reason
    expect(last).toBe('CAPSULE_THROTTLED')
    const elsewhere = platform.as(undefined, '198.51.100.7')
    await expect(redeemedText(elsewhere, wrong)).rejects.toMatchObject({ reason: 'CAPSULE_TOKEN_INVALID' })
    expect(await redeem(capsule)).toBe('x')
  })
})

describe('an expired capsule', () => {
  it('is EXPIRED by the clock in every answer, before a worker records it', async () => {
    const { admin, anyone, at, create, platform, redeem } = await tenantCapsules()
    const [old, young] = [await create('old'), await create('young')]
    await setExpiry(platform.config, old.id, past, false)
    const { vault } = admin.api
    expect((await anyone.vault.getCapsuleDelivery({ id: old.id })).state).toBe('VAULT_CAPSULE_STATE_EXPIRED')
    expect((await vault.getCapsule({ ...at, id: old.id })).state).toBe('VAULT_CAPSULE_STATE_EXPIRED')
    await expect(redeem(old)).rejects.toMatchObject({ metadata: { state: 'VAULT_CAPSULE_STATE_EXPIRED' } })
    await expect(vault.revokeCapsule({ ...at, id: old.id, body: {} })).rejects.toMatchObject({
      reason: 'CAPSULE_NOT_ACTIVE',
    })
    const listed = async (filter: string) =>
      (await vault.listCapsules({ ...at, filter })).capsules.map(({ id, state }) => [id, state])
    const [expired, active] = [[[old.id, 'VAULT_CAPSULE_STATE_EXPIRED']], [[young.id, 'VAULT_CAPSULE_STATE_ACTIVE']]]
    expect(await listed('state = VAULT_CAPSULE_STATE_EXPIRED')).toEqual(expired)
    expect(await listed('state != VAULT_CAPSULE_STATE_ACTIVE')).toEqual(expired)
    expect(await listed('state = VAULT_CAPSULE_STATE_ACTIVE')).toEqual(active)
    expect(await listed('NOT state = VAULT_CAPSULE_STATE_EXPIRED')).toEqual(active)
  })

  it('loses its payload by the worker', async () => {
    const { admin, at, create, platform } = await tenantCapsules()
    const { id } = await create('x')
    await setExpiry(platform.config, id, past, true)
    const end = performance.now() + 60_000
    while ((await doctorPayload()) && performance.now() < end) await nextPoll(50)
    expect(await doctorPayload()).toBe(false)
    expect((await admin.api.vault.getCapsule({ ...at, id })).state).toBe('VAULT_CAPSULE_STATE_EXPIRED')
    expect(await doctorFindings(platform.config)).toEqual([])

    /** Whether the etag is the etag of the creation, which the worker changes with the state. */
    async function doctorPayload(): Promise<boolean> {
      return (await admin.api.vault.getCapsule({ ...at, id })).etag === '1'
    }
  })
})

describe('a revocation', () => {
  it('works once, and in a suspended workspace, in which nothing is redeemed', async () => {
    const { admin, at, create, organisation, redeem, workspace } = await tenantCapsules()
    const capsule = await create('x')
    await admin.api.taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
    await expect(redeem(capsule)).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_ACTIVE', metadata: {} })
    const revoke = () =>
      admin.api.vault.revokeCapsule({ ...at, id: capsule.id, body: { reason: 'sent to the wrong person' } })
    expect(await revoke()).toMatchObject({ operation_type: 'VAULT_OPERATION_TYPE_REVOKE' })
    await expect(revoke()).rejects.toMatchObject({ metadata: { state: 'VAULT_CAPSULE_STATE_REVOKED' } })
    expect(await admin.api.vault.getCapsule({ ...at, id: capsule.id })).toMatchObject({
      state: 'VAULT_CAPSULE_STATE_REVOKED',
      revoke_reason: 'sent to the wrong person',
    })
  })
})

it('of two callers who redeem a capsule at the same time, one gets the payload', async () => {
  const { create, platform, redeem } = await tenantCapsules()
  for (let round = 0; round < 10; round += 1) {
    const capsule = await create('x', round % 2 === 0 ? {} : { passphrase: 'correct horse' })
    const passphrase = round % 2 === 0 ? undefined : 'correct horse'
    const ends = await Promise.allSettled([redeem(capsule, passphrase), redeem(capsule, passphrase)])
    const reasons = ends.map(each => (each.status === 'fulfilled' ? each.value : each.reason.reason))
    expect(reasons.toSorted()).toEqual(['CAPSULE_NOT_ACTIVE', 'x'])
  }
  expect(await doctorFindings(platform.config)).toEqual([])
})
