import { beforeAll, expect, it } from 'vitest'
import type { Store } from '../../../../domain/ports/store.ts'
import { templateCollection } from '../../../../domain/vault/certificates/templates-store.ts'
import type { AreaModule } from '../../../../server/area.ts'
import { areas } from '../../../../server/areas.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { tenantCertificates, type TenantCertificates } from './tenant-certificates.ts'
import { afterTests } from '../../../undo.ts'

/** The change between the signature of a certificate and its transaction; undefined for none. */
let change: (() => Promise<unknown>) | undefined
let isRead = false

/** Returns a store that makes the change in the first transaction after a read of a template. */
function changing(store: Store): Store {
  return new Proxy(store, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name)
      if (typeof member !== 'function') return member
      if (name !== 'get' && name !== 'tx') return member.bind(of)
      return async (...args: readonly unknown[]) => {
        if (name === 'get' && args[0] === templateCollection) isRead = true
        if (name === 'tx' && isRead) {
          isRead = false
          await change?.()
        }
        return member.apply(of, args)
      }
    },
  })
}

const changed = areas.map((area): AreaModule =>
  area.domain.name === 'vault'
    ? { ...area, mount: parts => area.mount({ ...parts, store: changing(parts.store) }) }
    : area,
)

let tenant: TenantCertificates
let count = 0

beforeAll(async () => {
  tenant = await tenantCertificates({ areas: changed, later: afterTests })
})

/** Creates an authority with a template; returns the calls that change the template, and issue by it. */
async function templated() {
  const { admin, at, root, template } = tenant
  const { vault } = admin.api
  const certificate_authority = await root(`root-${(count += 1)}`)
  const path = { ...at, certificate_authority }
  const id = await template(certificate_authority, 'web', {
    allowed_dns_names: ['a.example'],
    maximum_lifetime: '600s',
  })
  const config = { subject: { common_name: 'a.example' } }
  const body = { config, certificate_template_id: id, private_key_secret_name: `key-${count}` }
  return {
    issue: async () => {
      const { resource_id } = await vault.createCertificate({ ...path, body })
      return vault.getCertificate({ ...path, id: resource_id })
    },
    certificates: async () => (await vault.listCertificates(path)).certificates,
    update: (seconds: number) =>
      vault.updateCertificateTemplate({
        ...path,
        id,
        update_mask: 'default_lifetime',
        body: { default_lifetime: `${seconds}s` },
      }),
    delete: () => vault.deleteCertificateTemplate({ ...path, id }),
  }
}

/** Makes a change before the transactions of `times` attempts. */
function before(times: number, make: (attempt: number) => Promise<unknown>): { readonly made: () => number } {
  let made = 0
  change = async () => {
    if (made === times) return
    made += 1
    const kept = change
    change = undefined
    await make(made)
    change = kept
    isRead = false
  }
  return { made: () => made }
}

it.each([1, 4])(
  'a certificate whose template changes %i times before its transaction follows the last change',
  async n => {
    const { issue, update } = await templated()
    const { made } = before(n, attempt => update(600 - 10 * attempt))
    const { lifetime, not_after_time, not_before_time } = await issue()
    expect(made()).toBe(n)
    expect(lifetime).toBe(`${600 - 10 * n}s`)
    expect(Date.parse(not_after_time) - Date.parse(not_before_time)).toBe((600 - 10 * n + 60) * 1000)
  },
)

it('a template that changes before each of 5 transactions is refused with a time to retry, and leaves nothing', async () => {
  const { certificates, issue, update } = await templated()
  const { made } = before(5, attempt => update(600 - 10 * attempt))
  await expect(issue()).rejects.toMatchObject({
    reason: 'ENGINE_UNAVAILABLE',
    response: { status: 503 },
    details: { retryAfterSeconds: 1 },
  })
  expect(made()).toBe(5)
  expect(await certificates()).toEqual([])
  // The name of the secret is free, so the same body is accepted.
  expect((await issue()).lifetime).toBe('550s')
})

it('a template that is deleted before the transaction is not found', async () => {
  const { certificates, delete: remove, issue } = await templated()
  before(1, remove)
  await expect(issue()).rejects.toMatchObject({ reason: 'TEMPLATE_NOT_FOUND', code: 9_008_001 })
  expect(await certificates()).toEqual([])
  expect(await doctorFindings(tenant.platform.config)).toEqual([])
})
