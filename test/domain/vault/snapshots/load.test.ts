import { expect, it } from 'vitest'
import { own } from '../../../../runtime/validation.ts'
import { checkedRows } from '../../../../server/vault/snapshots/checked-rows.ts'
import { openSnapshot } from '../../../../server/vault/snapshots/open-snapshot.ts'
import { tenantSecrets } from '../tenant-secrets.ts'
import { devRoot, takenSnapshot } from './taken.ts'

it('snapshots under load hold the rows of one moment, and writers go on', async () => {
  const { add, admin, create, platform } = await tenantSecrets()
  const secrets = await Promise.all(['one', 'two', 'three'].map(name => create(name)))
  const over = new AbortController()
  let added = 0
  const writers = secrets.map(async secret => {
    while (!over.signal.aborted) {
      await add(secret, `value ${(added += 1)} ${'x'.repeat(1000)}`)
    }
  })
  const seen: number[] = []
  for (let i = 0; i < 3; i += 1) {
    const before = added
    const file = await takenSnapshot(admin.api, platform.config)
    expect(added).toBeGreaterThan(before)
    const opened = await openSnapshot(file, { current: devRoot(platform.config) })
    const latest = new Map<unknown, number>()
    const [versions, payloads] = [new Map<unknown, number>(), new Map<unknown, number>()]
    for await (const { collection, document, id } of checkedRows(opened)) {
      if (collection.name === 'vault_secrets') latest.set(id, Number(own(document, 'latest_version')))
      const counted = { vault_secret_versions: versions, vault_secret_payloads: payloads }
      const map = Object.hasOwn(counted, collection.name) ? Reflect.get(counted, collection.name) : undefined
      const secret = own(document, 'secret_id')
      if (map instanceof Map) map.set(secret, (map.get(secret) ?? 0) + 1)
    }
    expect(latest.size).toBe(3)
    expect(versions).toEqual(latest)
    expect(payloads).toEqual(latest)
    seen.push([...latest.values()].reduce((sum, count) => sum + count, 0))
  }
  over.abort()
  await Promise.all(writers)
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
})
