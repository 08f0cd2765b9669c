import { expect, it } from 'vitest'
import { safeId, safeKeys, safes, workspaceKeys } from '../../../domain/vault/seal/seal-store.ts'
import type { ItemPlace } from '../../../domain/vault/seal/item-place.ts'
import { keyringOf, rootKey, workspace } from './keyrings.ts'

const place: ItemPlace = { workspace, type: 'vault.secretVersions', id: 'one', version: '1' }
const secret = Buffer.from('hunter2')
const corrupt = { reason: 'STORED_DATA_CORRUPT', code: 9_000_102, rpc: 'DATA_LOSS' }

it('an item opens at its place on a second server with the same root key', async () => {
  const { open, store } = await keyringOf()
  const first = await open()
  const wrapped = await store.tx(tx => first.wrap(tx, place, secret))
  const second = await open()
  expect(await second.unwrap(store, place, wrapped)).toEqual(secret)
})

it.each<Partial<ItemPlace>>([
  { workspace: '01890000-0000-7000-8000-000000000002' },
  { type: 'vault.cryptoKeyVersions' },
  { id: 'two' },
  { version: '2' },
  { id: 'on', version: 'e1' },
])('an item does not open at another place: %j', async other => {
  const { open, store } = await keyringOf()
  const keyring = await open()
  const elsewhere = { ...place, ...other }
  const wrapped = await store.tx(async tx => {
    await keyring.wrap(tx, elsewhere, secret)
    return keyring.wrap(tx, place, secret)
  })
  await expect(keyring.unwrap(store, elsewhere, wrapped)).rejects.toMatchObject(corrupt)
})

it('no altered or truncated item opens', async () => {
  const { open, store } = await keyringOf()
  const keyring = await open()
  const bytes = Buffer.from(await store.tx(tx => keyring.wrap(tx, place, secret)), 'base64')
  const altered = [...bytes.keys()].map(i => bytes.map((byte, j) => (i === j ? byte ^ 1 : byte)))
  const truncated = [...bytes.keys()].map(i => bytes.subarray(0, i))
  for (const each of [...altered, ...truncated, Buffer.concat([bytes, bytes])]) {
    const wrapped = Buffer.from(each).toString('base64')
    await expect(keyring.unwrap(store, place, wrapped)).rejects.toMatchObject(corrupt)
  }
})

it('an item of another installation does not open', async () => {
  const [mine, other] = [await keyringOf(), await keyringOf()]
  const owner = await mine.open()
  const wrapped = await mine.store.tx(tx => owner.wrap(tx, place, secret))
  const keyring = await other.open()
  await other.store.tx(tx => keyring.wrap(tx, place, secret))
  await expect(keyring.unwrap(other.store, place, wrapped)).rejects.toMatchObject(corrupt)
  // The key of the workspace does not open there either.
  const from = await mine.store.get(workspaceKeys, workspace)
  await other.store.tx(async tx => {
    const to = await tx.lock(workspaceKeys, workspace)
    if (from && to) await tx.update(workspaceKeys, workspace, from.value, to.version)
  })
  await expect((await other.open()).unwrap(other.store, place, wrapped)).rejects.toMatchObject(corrupt)
})

it('a rotation encrypts the safe keys under the current root key, and old items still open', async () => {
  const { open, store } = await keyringOf()
  const before = await open({ current: rootKey('first') })
  const wrapped = await store.tx(tx => before.wrap(tx, place, secret))
  const platform = before.wrapPlatform('registry.tokenKey', secret)
  const rotated = await open({ current: rootKey('second'), previous: rootKey('first') })
  expect(await rotated.unwrap(store, place, wrapped)).toEqual(secret)
  expect(Buffer.from(await rotated.unwrapPlatform('registry.tokenKey', platform))).toEqual(secret)
  const rows = []
  for await (const { value } of store.each(safeKeys)) rows.push([value.id, value.root_key_id])
  expect(rows).toEqual([
    ['1', 'second'],
    ['2', 'second'],
  ])
  // A second start with both keys rotates nothing, and the former root key opens nothing.
  await open({ current: rootKey('second'), previous: rootKey('first') })
  expect(await store.count(safeKeys)).toBe(2)
  expect((await open({ current: rootKey('second') })).isSealed).toBe(false)
  expect((await open({ current: rootKey('first') })).sealedReason).toContain('"second"')
})

it('a server reads a safe key of a later rotation if its root keys open it, and is sealed otherwise', async () => {
  const { open, store } = await keyringOf()
  const roots = { current: rootKey('second'), previous: rootKey('first') }
  const outdated = await open({ current: rootKey('first') })
  await store.tx(tx => outdated.wrap(tx, place, secret))
  const rotated = await open(roots)
  const later = { ...place, workspace: '01890000-0000-7000-8000-000000000002' }
  const wrapped = await store.tx(tx => rotated.wrap(tx, later, secret))
  await expect(outdated.unwrap(store, later, wrapped)).rejects.toMatchObject({ reason: 'VAULT_SEALED' })
  expect(outdated.isSealed).toBe(true)
})

it('the name of a root key may change, but its bytes may not', async () => {
  const { open, store } = await keyringOf()
  await open({ current: rootKey('first') })
  expect((await open({ current: { ...rootKey('first'), id: 'renamed' } })).isSealed).toBe(false)
  expect((await store.get(safeKeys, '1'))?.value.root_key_id).toBe('renamed')
  expect((await open({ current: { ...rootKey('other'), id: 'renamed' } })).isSealed).toBe(true)
})

it('a store that has lost a part of its keys is never taken for an empty vault', async () => {
  const { open, store } = await keyringOf()
  const keyring = await open()
  await store.tx(tx => keyring.wrap(tx, place, secret))
  await store.tx(async tx => {
    const key = await tx.lock(safeKeys, '1')
    if (key) await tx.delete(safeKeys, '1', key.version)
  })
  expect((await open()).sealedReason).toContain('has lost the safe keys')
  await store.tx(async tx => {
    const safe = await tx.lock(safes, safeId)
    if (safe) await tx.delete(safes, safeId, safe.version)
  })
  expect((await open()).sealedReason).toContain('has lost its safe')
  expect(await store.count(safeKeys)).toBe(0)
})

it('servers that start concurrently make one safe, and transactions that write concurrently make one key', async () => {
  const { open, store } = await keyringOf()
  const [first, second] = await Promise.all([open(), open()])
  if (!first || !second) throw new Error('two keyrings are opened')
  expect([await store.count(safes), await store.count(safeKeys)]).toEqual([1, 1])
  const wrapped = await Promise.all([first, second].map(each => store.tx(tx => each.wrap(tx, place, secret))))
  for (const each of wrapped) expect(await first.unwrap(store, place, each)).toEqual(secret)
  expect(await store.count(workspaceKeys)).toBe(1)
})

it('servers that rotate concurrently make one safe key, while an item is written with the former key', async () => {
  const { open, store } = await keyringOf()
  const before = await open()
  await store.tx(tx => before.wrap(tx, place, secret))
  const roots = { current: rootKey('second'), previous: rootKey('first') }
  const [first, second, wrapped] = await Promise.all([
    open(roots),
    open(roots),
    store.tx(tx => before.wrap(tx, place, secret)),
  ])
  expect(await store.count(safeKeys)).toBe(2)
  for (const keyring of [first, second]) expect(await keyring.unwrap(store, place, wrapped)).toEqual(secret)
})

it('bytes of the platform open for their purpose only', async () => {
  const { open } = await keyringOf()
  const keyring = await open()
  const wrapped = keyring.wrapPlatform('registry.tokenKey', secret)
  expect(Buffer.from(await keyring.unwrapPlatform('registry.tokenKey', wrapped))).toEqual(secret)
  for (const [purpose, text] of [
    ['storage.signingKey', wrapped],
    ['registry.tokenKey', wrapped.replace('nf1:1:', 'nf1:2:')],
    ['registry.tokenKey', `${wrapped.slice(0, -2)}AA`],
    ['registry.tokenKey', ''],
    ['registry.tokenKey', 'nf1:1:'],
  ] as const)
    await expect(keyring.unwrapPlatform(purpose, text)).rejects.toMatchObject(corrupt)
})

it('a sealed keyring has no keys any more', async () => {
  const { open, store } = await keyringOf()
  const keyring = await open()
  const wrapped = await store.tx(tx => keyring.wrap(tx, place, secret))
  keyring.seal('the test seals it')
  const sealed = { reason: 'VAULT_SEALED', rpc: 'UNAVAILABLE', details: { retryAfterSeconds: 30 } }
  await expect(keyring.unwrap(store, place, wrapped)).rejects.toMatchObject(sealed)
  await expect(store.tx(tx => keyring.wrap(tx, place, secret))).rejects.toMatchObject(sealed)
  expect(() => keyring.wrapPlatform('registry.tokenKey', secret)).toThrow('the vault is sealed')
})

it('keys of more workspaces than the cache holds stay usable', async () => {
  const { open, store } = await keyringOf()
  const keyring = await open()
  const places = Array.from({ length: 1100 }, (_, i) => ({ ...place, workspace: `w${i}` }))
  const wrapped = await store.tx(async tx => {
    const made: string[] = []
    for (const each of places) made.push(await keyring.wrap(tx, each, secret))
    return made
  })
  for (const i of [0, 50, 1099]) {
    const at = places[i]
    if (at) expect(await keyring.unwrap(store, at, wrapped[i] ?? '')).toEqual(secret)
  }
})
