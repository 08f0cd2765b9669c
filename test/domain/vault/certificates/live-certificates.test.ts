import { expect, it } from 'vitest'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { addLive, endLive, liveCollection, maxLive } from '../../../../domain/vault/certificates/live-certificates.ts'
import { certificateCollection, certificateState } from '../../../../domain/vault/certificates/certificates-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { patch, remove } from '../../taxonomy/broken-store.ts'
import { tenantCertificates, type TenantCertificates } from './tenant-certificates.ts'

const config = { subject: { common_name: 'www.acme.example' } }

/** Runs a transaction on the store of a platform. */
async function change<R>({ platform }: TenantCertificates, fn: (tx: Transaction) => Promise<R>): Promise<R> {
  const store = await openBeside(platform.config, storeCollections(areas))
  try {
    return await store.tx(fn)
  } finally {
    await store.close()
  }
}

it('an authority with the most live certificates issues again after a revocation and after an expiry', async () => {
  const tenant = await tenantCertificates()
  const { admin, at, issue, platform, root } = tenant
  const { vault } = admin.api
  const top = await root('root')
  let count = 0
  const next = () => issue(top, { config, private_key_secret_name: `key-${(count += 1)}` })
  const first = await next()
  const second = await next()
  await change(tenant, tx => patch(tx, liveCollection, top, { count: maxLive }))
  const exceeded = { reason: 'CERTIFICATE_QUOTA_EXCEEDED', code: 9_007_011 }
  await expect(next()).rejects.toMatchObject(exceeded)
  const body = { reason: 'VAULT_REVOCATION_REASON_UNSPECIFIED' } as const
  await vault.revokeCertificate({ ...at, certificate_authority: top, id: first, body })
  await next()
  await expect(next()).rejects.toMatchObject(exceeded)
  const time = '2026-01-01T00:00:00.000Z'
  await change(tenant, async tx => {
    await patch(tx, certificateCollection, second, { not_after_time: time })
    await patch(tx, agenda, `certificates.end/${second}`, { due_time: time })
  })
  const states = () => change(tenant, async tx => (await tx.get(certificateCollection, second))?.value.state)
  await expect.poll(states).toBe(certificateState('EXPIRED'))
  await next()
  // The number was patched, so the doctor names it; without a row, the next issue counts the certificates.
  expect(await doctorFindings(platform.config)).toContainEqual(
    `vault.liveCertificates ${top}: counts ${maxLive} live certificates, and 2 are ACTIVE; delete the row`,
  )
  await change(tenant, tx => remove(tx, liveCollection, top))
  await next()
  expect(await change(tenant, async tx => (await tx.get(liveCollection, top))?.value.count)).toBe(3)
})

it('an issue and a revocation read the kept number, and only the first issue counts the certificates', async () => {
  const tenant = await tenantCertificates()
  const top = await tenant.root('root')
  const id = await tenant.issue(top, { config, private_key_secret_name: 'key' })
  const counts = await change(tenant, async tx => {
    const { value } = (await tx.get(certificateCollection, id)) ?? {}
    if (!value) throw new Error('the certificate is absent')
    let scans = 0
    const count: Transaction['count'] = (...of) => {
      scans += 1
      return tx.count(...of)
    }
    const counted = new Proxy(tx, { get: (of, name) => (name === 'count' ? count : bound(of, name)) })
    const seen: number[] = []
    const step = async (run: Promise<void>): Promise<void> => {
      await run
      seen.push(scans)
    }
    await step(addLive(counted, value))
    await step(endLive(counted, value))
    await remove(tx, liveCollection, top)
    await step(endLive(counted, value))
    await step(addLive(counted, value))
    await step(addLive(counted, value))
    await step(endLive(counted, value))
    return seen
  })
  expect(counts).toEqual([0, 0, 0, 1, 1, 1])
})

function bound(of: Transaction, name: string | symbol): unknown {
  const member: unknown = Reflect.get(of, name)
  return typeof member === 'function' ? member.bind(of) : member
}
