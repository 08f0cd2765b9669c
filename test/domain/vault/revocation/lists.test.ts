import { describe, expect, it } from 'vitest'
import { keyOwner } from '../../../../domain/vault/certificates/authority-signer.ts'
import { authorityCollection, type StoredAuthority } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../../../../domain/vault/certificates/certificates-store.ts'
import { inspectLists } from '../../../../domain/vault/revocation/inspect-lists.ts'
import { listWorker } from '../../../../domain/vault/revocation/list-worker.ts'
import {
  keyVersionCollection,
  materialCollection,
  versionState,
} from '../../../../domain/vault/keys/key-versions-store.ts'
import { schemes } from '../../../../domain/vault/keys/schemes.ts'
import { listCollection, partCollection, revocationCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import { markRevoked } from '../../../../domain/vault/revoked/mark-revoked.ts'
import { readList } from '../../../../domain/vault/revocation/read-list.ts'
import { RevocationLists } from '../../../../domain/vault/revocation/revocation-lists.ts'
import { signList } from '../../../../domain/vault/revocation/sign-list.ts'
import { Keyring } from '../../../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe } from '../../../../domain/vault/seal/open-safe.ts'
import type { Materials } from '../../../../domain/vault/keys/materials.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { createClock } from '../../../../server/clock.ts'
import { testStore } from '../../../server/store/harness.ts'
import { rootKey } from '../keyrings.ts'
import { issuerCollections, revokedRow, storedIssuer } from './issuer.ts'

const algorithm = 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256'
const scheme = schemes[algorithm]
const begin = Date.parse('2026-01-15T09:45:00.250Z')
const day = 86_400_000

/** An authority with its lists, and a clock that the test sets. */
interface Issuing {
  readonly store: ServerStore
  readonly keyring: Keyring
  readonly materials: Materials
  readonly authority: StoredAuthority
  readonly clock: { time: number; readonly now: () => number; readonly newId: () => string }
  /** The lists of one server; each call is another server. */
  readonly server: () => RevocationLists
  /** Revokes a serial number, by default of a certificate that holds for a day. */
  revoke(serial: string, notAfter?: number): Promise<void>
}

async function issuing(): Promise<Issuing> {
  const store = await testStore(...issuerCollections)
  const ids = createClock()
  const clock = { time: begin, now: (): number => clock.time, newId: ids.newId }
  const keyring = new Keyring(store)
  const roots = { current: rootKey('first') }
  const safe = await openSafe(store, clock, roots)
  if (!isOpenSafe(safe)) throw new Error(safe.reason)
  keyring.unseal(safe, roots)
  const id = ids.newId()
  const { authority, materials } = await storedIssuer(store, keyring, { algorithm, id, now: begin, scheme })
  return {
    store,
    keyring,
    materials,
    authority,
    clock,
    server: () => new RevocationLists({ clock, keyring, materials, store }),
    revoke: (serial_number, notAfter = clock.time + day) =>
      store.tx(async tx => {
        const { id: issuer, workspace_id } = authority
        await tx.lock(authorityCollection, issuer)
        const revocation = {
          reason: 'VAULT_REVOCATION_REASON_SUPERSEDED',
          revoke_time: new Date(clock.time).toISOString(),
        } as const
        const not_after_time = new Date(notAfter).toISOString()
        const row = revokedRow(authority, ids.newId(), serial_number, { not_after_time, revocation })
        await tx.insert(certificateCollection, row)
        await markRevoked(tx, { issuer, workspace_id, serial_number, not_after_time }, revocation)
      }),
  }
}

/** Returns the findings of the doctor. */
async function findingsOf(store: ServerStore): Promise<readonly string[]> {
  const findings: string[] = []
  for await (const { message } of inspectLists(store)) findings.push(message)
  return findings
}

/** Returns the serial numbers, the number and the time of the current list. */
async function shown(lists: RevocationLists, authority: StoredAuthority) {
  const current = await lists.current(authority)
  const { number, serials } = readList(current?.der ?? Buffer.alloc(0))
  expect(current?.list).toMatchObject({ revoked_count: serials.length, crl_number: number })
  return { serials, number, at: current?.list.this_update_time }
}

describe('the revocation list of an authority', () => {
  it('is empty from the first moment, and shows each revocation at once', async () => {
    const { authority, revoke, server, store } = await issuing()
    const lists = server()
    expect(await shown(lists, authority)).toEqual({
      serials: [],
      number: String(begin),
      at: '2026-01-15T09:45:00.000Z',
    })
    await revoke('41')
    expect(await shown(lists, authority)).toMatchObject({ serials: ['41'], number: String(begin + 1) })
    expect(await shown(server(), authority)).toMatchObject({ serials: ['41'], number: String(begin + 1) })
    expect((await store.get(authorityCollection, authority.id))?.value.crl_number).toBe(String(begin + 1))
    expect(await store.count(partCollection)).toBe(1)
    expect(await findingsOf(store)).toEqual([])
  })

  it('is signed anew at half of its time, with the number of the clock', async () => {
    const { authority, clock, server } = await issuing()
    const lists = server()
    const { number } = await shown(lists, authority)
    clock.time = begin + 3.5 * day - 1000
    expect((await shown(lists, authority)).number).toBe(number)
    clock.time = begin + 3.5 * day
    expect((await shown(lists, authority)).number).toBe(String(clock.time))
  })

  it('has numbers that grow while the clock goes back', async () => {
    const { authority, clock, revoke, server } = await issuing()
    await shown(server(), authority)
    clock.time = begin - day
    await revoke('41', begin + day)
    expect((await shown(server(), authority)).number).toBe(String(begin + 1))
  })

  it('names a certificate until the first list after its expiry', async () => {
    const { authority, clock, revoke, server, store } = await issuing()
    await revoke('41', begin + 1000)
    await revoke('42', begin + 365 * day)
    expect((await shown(server(), authority)).serials).toEqual(['41', '42'])
    clock.time = begin + 4 * day
    expect((await shown(server(), authority)).serials).toEqual(['41', '42'])
    clock.time += 4 * day
    expect((await shown(server(), authority)).serials).toEqual(['42'])
    expect(await store.count(revocationCollection)).toBe(1)
    expect(await findingsOf(store)).toEqual([])
  })

  it('stays as it is once the certificate of the authority has ended', async () => {
    const { authority, clock, revoke, server } = await issuing()
    const before = await shown(server(), authority)
    await revoke('41')
    clock.time = Date.parse(authority.not_after_time ?? '')
    expect(await shown(server(), authority)).toEqual(before)
  })

  it('does not exist before the authority is ENABLED', async () => {
    const { authority, server } = await issuing()
    expect(await server().current({ ...authority, id: '01890000-0000-7000-8000-00000000000f' })).toBeUndefined()
  })

  it('is signed once for concurrent reads of one server', async () => {
    const { authority, server, store } = await issuing()
    const lists = server()
    const numbers = await Promise.all(Array.from({ length: 20 }, async () => (await shown(lists, authority)).number))
    expect(new Set(numbers).size).toBe(1)
    expect(await store.count(partCollection)).toBe(1)
  })

  it('is published once by two servers, and the other signature is dropped', async () => {
    const { authority, clock, materials, revoke, store } = await issuing()
    await revoke('41')
    const before = await store.get(listCollection, authority.id)
    if (!before) throw new Error('the list is absent')
    const sign = () => signList({ store, materials }, authority, before.value, clock.now())
    const signed = await Promise.all([sign(), sign()])
    expect(signed.filter(list => list === undefined)).toHaveLength(1)
    expect(await store.count(partCollection)).toBe(1)
  })

  it('stays dirty if a certificate is revoked during the signature', async () => {
    const { authority, clock, materials, revoke, server, store } = await issuing()
    const before = await store.get(listCollection, authority.id)
    if (!before) throw new Error('the list is absent')
    await revoke('41')
    expect(await signList({ store, materials }, authority, before.value, clock.now())).toBeDefined()
    expect((await store.get(listCollection, authority.id))?.value).toMatchObject({ is_dirty: true })
    await revoke('42')
    expect((await shown(server(), authority)).serials).toEqual(['41', '42'])
    expect((await store.get(listCollection, authority.id))?.value).toMatchObject({ is_dirty: false })
  })

  it('misses no revocation in a race of revocations and reads of two servers', async () => {
    const { authority, revoke, server, store } = await issuing()
    const servers = [server(), server()]
    const serials = Array.from({ length: 12 }, (_, i) => (0x41 + i).toString(16))
    await Promise.all(
      serials.map(async (serial, i) => {
        await revoke(serial)
        const lists = servers[i % 2]
        if (lists) expect((await shown(lists, authority)).serials).toContain(serial)
      }),
    )
    expect((await shown(server(), authority)).serials).toEqual(serials)
    expect(await findingsOf(store)).toEqual([])
  })

  it('is read whole from many parts', async () => {
    const { authority, clock, revoke, server, store } = await issuing()
    await revoke('41')
    await store.tx(async tx => {
      for (let i = 0; i < 4000; i++) {
        const serial_number = `40${i.toString(16).padStart(30, '0')}`
        const found = await tx.get(revocationCollection, `${authority.id}/41`)
        if (found)
          await tx.insert(revocationCollection, {
            ...found.value,
            id: `${authority.id}/${serial_number}`,
            serial_number,
          })
      }
    })
    expect((await shown(server(), authority)).serials).toHaveLength(4001)
    expect(await store.count(partCollection)).toBeGreaterThan(1)
    expect((await shown(server(), authority)).serials).toHaveLength(4001)
    clock.time += 4 * day
    await shown(server(), authority)
    const [{ content = '' } = {}] = [(await store.get(listCollection, authority.id))?.value]
    expect(await store.count(partCollection)).toBe(await store.count(partCollection, { content }))
  })

  it('is STORED_DATA_CORRUPT without a part', async () => {
    const { authority, server, store } = await issuing()
    await shown(server(), authority)
    for await (const { id, version } of store.each(partCollection))
      await store.tx(tx => tx.delete(partCollection, id, version))
    await expect(server().current(authority)).rejects.toMatchObject({ reason: 'STORED_DATA_CORRUPT' })
  })
})

describe('a revocation list that cannot be signed', () => {
  it('is the last list as long as that holds while the vault is sealed', async () => {
    const { authority, clock, keyring, revoke, server } = await issuing()
    const before = await shown(server(), authority)
    keyring.seal('the test has sealed the vault')
    await revoke('41')
    expect(await shown(server(), authority)).toEqual(before)
    clock.time = begin + 7 * day
    await expect(server().current(authority)).rejects.toMatchObject({ reason: 'VAULT_SEALED' })
  })

  it('is VAULT_SEALED if it was never signed', async () => {
    const { authority, keyring, server } = await issuing()
    keyring.seal('the test has sealed the vault')
    await expect(server().current(authority)).rejects.toMatchObject({
      reason: 'VAULT_SEALED',
      details: { retryAfterSeconds: 30 },
    })
  })

  it.each([
    ['DISABLED', 'KEY_VERSION_DISABLED'],
    ['DESTROY_SCHEDULED', 'KEY_VERSION_DESTROYED'],
    ['DESTROYED', 'KEY_VERSION_DESTROYED'],
  ] as const)('fails once it is due while the pinned version is %s', async (state, reason) => {
    const { authority, revoke, server, store } = await issuing()
    const pinned = { ...authority, crypto_key_id: authority.id, crypto_key_version: '1' }
    const { id: number, ...owner } = keyOwner(pinned)
    await store.tx(async tx => {
      const stored = await tx.lock(authorityCollection, authority.id)
      if (stored) await tx.update(authorityCollection, authority.id, pinned, stored.version)
      await tx.insert(keyVersionCollection, {
        ...owner,
        id: number,
        state: versionState('ENABLED'),
        protection_level: 'VAULT_PROTECTION_LEVEL_SOFTWARE',
        is_primary: true,
        version: Number(number),
        public_key_pem: '',
        public_key_sha256: '',
        operation_id: '',
        etag: '1',
        create_time: '2026-01-01T00:00:00.000Z',
        update_time: '2026-01-01T00:00:00.000Z',
      })
    })
    const before = await shown(server(), pinned)
    await store.tx(async tx => {
      const stored = await tx.lock(keyVersionCollection, owner.row_id)
      if (stored)
        await tx.update(
          keyVersionCollection,
          stored.id,
          { ...stored.value, state: versionState(state) },
          stored.version,
        )
    })
    expect(await shown(server(), pinned)).toEqual(before)
    await revoke('41')
    await expect(server().current(pinned)).rejects.toMatchObject({ reason, details: { precondition: [{}] } })
  })
})

describe('the doctor', () => {
  type Fault = readonly [name: string, message: string, spoil: (issuing: Issuing) => Promise<unknown>]

  const faults: readonly Fault[] = [
    [
      'an authority without a list',
      'without a revocation list',
      ({ authority, store }) =>
        store.tx(async tx => {
          const stored = await tx.lock(listCollection, authority.id)
          if (stored) await tx.delete(listCollection, stored.id, stored.version)
        }),
    ],
    [
      'another number in the authority',
      'has the crl_number 1, and its list has',
      ({ authority, store }) =>
        store.tx(async tx => {
          const stored = await tx.lock(authorityCollection, authority.id)
          if (stored)
            await tx.update(authorityCollection, stored.id, { ...stored.value, crl_number: '1' }, stored.version)
        }),
    ],
    [
      'an absent part',
      'cannot be read',
      async ({ store }) => {
        for await (const { id, version } of store.each(partCollection))
          await store.tx(tx => tx.delete(partCollection, id, version))
      },
    ],
    [
      'a changed signature',
      'whose signature does not fit',
      async ({ store }) => {
        for await (const { id, value, version } of store.each(partCollection)) {
          const der = Buffer.from(value.der, 'base64')
          der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
          await store.tx(tx => tx.update(partCollection, id, { ...value, der: der.toString('base64') }, version))
        }
      },
    ],
    [
      'an absent revocation',
      'lists the serial number 41, which is not revoked',
      ({ authority, store }) =>
        store.tx(async tx => {
          const stored = await tx.lock(revocationCollection, `${authority.id}/41`)
          if (stored) await tx.delete(revocationCollection, stored.id, stored.version)
        }),
    ],
    [
      'a revocation that the list lacks',
      'does not list the revoked serial number 42',
      async ({ authority, revoke, store }) => {
        await revoke('42')
        await store.tx(async tx => {
          const stored = await tx.lock(listCollection, authority.id)
          if (stored) await tx.update(listCollection, stored.id, { ...stored.value, is_dirty: false }, stored.version)
        })
      },
    ],
    [
      'a certificate that is not REVOKED',
      'whose certificate is not REVOKED',
      async ({ store }) => {
        for await (const { id, value, version } of store.each(certificateCollection)) {
          const active = { ...value, state: certificateState('ACTIVE') }
          await store.tx(tx => tx.update(certificateCollection, id, active, version))
        }
      },
    ],
    [
      'another reason',
      'has another reason or time',
      ({ authority, store }) =>
        store.tx(async tx => {
          const stored = await tx.lock(revocationCollection, `${authority.id}/41`)
          const reason = 'VAULT_REVOCATION_REASON_KEY_COMPROMISE'
          if (stored) await tx.update(revocationCollection, stored.id, { ...stored.value, reason }, stored.version)
        }),
    ],
    [
      'an absent authority',
      'belongs to no authority',
      ({ authority, store }) =>
        store.tx(async tx => {
          const stored = await tx.lock(authorityCollection, authority.id)
          if (stored) await tx.delete(authorityCollection, stored.id, stored.version)
        }),
    ],
  ]

  it.each(faults)('finds %s', async (_, message, spoil) => {
    const made = await issuing()
    await made.revoke('41')
    await shown(made.server(), made.authority)
    expect(await findingsOf(made.store)).toEqual([])
    await spoil(made)
    expect(await findingsOf(made.store)).toContainEqual(expect.stringContaining(message))
  })
})

describe('the worker', () => {
  /** Runs the worker once; the lease is always held. */
  async function run({ clock, keyring, store }: Issuing, lists: RevocationLists): Promise<readonly string[]> {
    const failed: string[] = []
    const worker = listWorker({
      store,
      now: clock.now,
      lists,
      isSealed: () => keyring.isSealed,
      failed: error => void failed.push(String(error)),
    })
    await worker.run({ signal: new AbortController().signal, tx: fn => store.tx(fn) })
    return failed
  }

  const listOf = async ({ authority, store }: Issuing) => (await store.get(listCollection, authority.id))?.value

  it('signs a dirty list, and again at half of its time', async () => {
    const made = await issuing()
    await run(made, made.server())
    const first = await listOf(made)
    expect(first).toMatchObject({ is_dirty: false, crl_number: String(begin) })
    await run(made, made.server())
    expect(await listOf(made)).toEqual(first)
    await made.revoke('41')
    await run(made, made.server())
    expect(await listOf(made)).toMatchObject({ is_dirty: false, revoked_count: 1 })
    made.clock.time += 4 * day
    await run(made, made.server())
    expect(await listOf(made)).toMatchObject({ crl_number: String(made.clock.time) })
  })

  it('waits while the vault is sealed', async () => {
    const made = await issuing()
    const before = await listOf(made)
    made.keyring.seal('the test has sealed the vault')
    expect(await run(made, made.server())).toEqual([])
    expect(await listOf(made)).toEqual(before)
  })

  it('tries again a minute later if a list cannot be signed, and reports the error', async () => {
    const made = await issuing()
    for await (const { id, version } of made.store.each(materialCollection))
      await made.store.tx(tx => tx.delete(materialCollection, id, version))
    expect(await run(made, made.server())).toEqual([expect.stringContaining('key material')])
    expect(await listOf(made)).toMatchObject({ is_dirty: true, renew_time: new Date(begin + 60_000).toISOString() })
    expect(await run(made, made.server())).toEqual([])
  })

  it('leaves the last list of an ended authority alone', async () => {
    const made = await issuing()
    await run(made, made.server())
    await made.revoke('41')
    made.clock.time = Date.parse(made.authority.not_after_time ?? '')
    await run(made, made.server())
    expect(await listOf(made)).toMatchObject({ is_dirty: true, crl_number: String(begin) })
    expect(await listOf(made)).not.toHaveProperty('renew_time')
  })
})
