import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyVersionCollection } from '../../domain/vault/keys/key-versions-store.ts'
import {
  payloadCollection,
  secretVersionCollection,
  versionRowId,
} from '../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../domain/vault/secrets/secrets-store.ts'
import { Ninefold } from '../../output/client.ts'
import { testToken } from '../server/access/test-access.ts'
import { base64, engine } from '../domain/vault/tenant-secrets.ts'
import { addVersions, endWindows } from '../domain/vault/keys/big-key.ts'
import { openDue, overdue } from '../domain/vault/due/due-platform.ts'
import { addTenant } from '../areas/members.ts'

/**
 * This program prints the longest turn of the event loop of a server with SQLite while it deletes a secret and a crypto
 * key with 1,000 versions each, removes such a key at the end of its window, revokes a capsule, and purges a workspace
 * with all of them and 1,000 capsules; the limit is 20 ms of CPU time.
 */

const versions = 1000
/** The number of versions of a key that are not destroyed, which the quota of versions limits. */
const alive = 100
const capsules = 1000
const limitMs = 20
/** The stored text of a payload of 64 KiB. */
const wrapped = 'x'.repeat(88_000)

/** Returns the CPU time of this thread in milliseconds. */
function cpuMs(): number {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Runs a task and prints the CPU time of its longest turn of the event loop. */
async function watched(name: string, task: () => Promise<unknown>): Promise<void> {
  let longest = 0
  let last = cpuMs()
  let isOver = false
  const turn = (): void => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  const start = performance.now()
  setImmediate(turn)
  await task()
  const took = performance.now() - start
  isOver = true
  turn()
  if (longest > limitMs) process.exitCode = 1
  console.log(`  ${name.padEnd(48)}${`${took.toFixed(0)} ms`.padStart(10)}${`${longest.toFixed(1)} ms`.padStart(14)}`)
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise(resolve => setTimeout(resolve, 20))
}

const folder = mkdtempSync(join(tmpdir(), 'ninefold-turns-'))
const platform = await openDue({ dataDir: join(folder, 'data') }, worker => ({ ...worker, everyMs: 50 }))
const { store } = platform
const api = new Ninefold(platform.transport(testToken))

/** Makes a secret with versions whose payloads have the maximal size. */
async function bigSecret(at: Place, name: string): Promise<string> {
  const { resource_id: secret } = await api.vault.createSecret({ ...at, body: { name } })
  await api.vault.addSecretVersion({ ...at, secret, body: { payload: { data: base64('text') } } })
  await store.tx(async tx => {
    const row = await tx.lock(secretCollection, secret)
    const [version, payload] = [
      (await tx.get(secretVersionCollection, versionRowId(secret, '1')))?.value,
      (await tx.get(payloadCollection, versionRowId(secret, '1')))?.value,
    ]
    if (!row || !version || !payload) throw new Error('the secret is absent')
    for (let number = 2; number <= versions; number += 1) {
      const [id, row_id] = [String(number), versionRowId(secret, String(number))]
      await tx.insert(secretVersionCollection, { ...version, id, row_id, version: number })
      await tx.insert(payloadCollection, { ...payload, id: row_id, wrapped })
    }
    const counts = { latest_version: String(versions), enabled_version_count: versions }
    await tx.update(secretCollection, secret, { ...row.value, ...counts }, row.version)
  })
  return secret
}

/** Makes a key with as many versions that are not destroyed as the quota permits. */
async function bigKey(at: Place, name: string): Promise<string> {
  const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'
  const { resource_id: key } = await api.vault.createCryptoKey({ ...at, body: { name, purpose } })
  await addVersions(store, key, { alive, versions })
  return key
}

interface Place {
  readonly workspace: string
  readonly engine: string
}

try {
  const { organisation, workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine }
  console.log(`\ndeletions in a vault, SQLite (limit ${limitMs} ms of CPU time)`)
  console.log(`  ${' '.repeat(48)}${'in all'.padStart(10)}${'longest turn'.padStart(14)}`)
  const secret = await bigSecret(at, 'secret')
  await watched(`a secret of ${versions} versions of 64 KiB`, () => api.vault.deleteSecret({ ...at, id: secret }))
  const key = await bigKey(at, 'key')
  await watched(`the deletion of a key of ${versions} versions`, () => api.vault.deleteCryptoKey({ ...at, id: key }))
  await endWindows(store, key, { alive })
  await watched('its removal at the end of the windows', () =>
    until(async () => (await store.count(keyVersionCollection, { crypto_key_id: key })) === 0),
  )
  const payload = { data: base64('x'.repeat(48_000)) }
  const create = async (): Promise<string> => (await api.vault.createCapsule({ ...at, body: { payload } })).resource_id
  const capsule = await create()
  await watched('the revocation of a capsule', () => api.vault.revokeCapsule({ ...at, id: capsule, body: {} }))
  await bigSecret(at, 'later')
  await bigKey(at, 'later')
  // The quota of active capsules is shared by the workspace; revoked capsules stay for 90 days.
  for (let i = 0; i < capsules - 1; i += 1) await create()
  await api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  await watched('the purge of the workspace', async () => {
    const deletion = await api.taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
    await api.taxonomy.waitOperation(deletion)
    await until(async () => (await overdue(store)).length === 0)
  })
} finally {
  await platform.close()
  rmSync(folder, { recursive: true })
}
