import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasKey } from '../../../../domain/observability/ingestion-configs/ingest-keys.ts'
import { ingestionConfigCollection } from '../../../../domain/observability/ingestion-configs/ingestion-configs-store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { IngestionConfigInput, IngestionConfigUpdate } from '../../../../output/observability/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { absentId, addMember, addTenant, roleAt, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let api: Ninefold
let tenant: Tenant

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
})

const at = () => ({ workspace: tenant.workspace, engine: 'native' })
const secret = 'kQ7vX2mZ9pR4tB8nW1cY6hJ3dF5gL0sA'
const scrape = (url = 'https://198.51.100.7:9100/metrics') => ({ targets: [{ url }] })

const create = async (body: IngestionConfigInput) =>
  (await api.observability.createIngestionConfig({ ...at(), body })).resource_id
const read = (id: string) => api.observability.getIngestionConfig({ ...at(), id })
const update = (id: string, body: IngestionConfigUpdate, update_mask?: string) =>
  api.observability.updateIngestionConfig({ ...at(), id, body, ...(update_mask !== undefined && { update_mask }) })

describe('an ingestion config', () => {
  it('is created with its defaults, read and listed, with an endpoint for its kind', async () => {
    const otlp = await create({ name: 'plain-otlp', otlp: {} })
    expect(await read(otlp)).toMatchObject({
      enabled: true,
      otlp: { promote_resource_attributes: [], delta_to_cumulative: false },
      endpoints: { otlp: `http://platform.test/ingest/${otlp}` },
      ingest_keys: [],
      targets_status: [],
      stats: { accepted: 0, rejected: 0, rejected_reasons: {} },
    })
    const write = await create({ name: 'plain-write', prometheus_remote_write: {} })
    const remote_write = `http://platform.test/ingest/${write}/api/v1/write`
    expect((await read(write)).endpoints).toEqual({ remote_write })
    const scraped = await create({ name: 'plain-scrape', prometheus_scrape: scrape() })
    const config = await read(scraped)
    expect(config).toMatchObject({
      prometheus_scrape: {
        targets: [{ url: scrape().targets[0]?.url, labels: {} }],
        scrape_interval: '30s',
        scrape_timeout: '10s',
        honor_labels: false,
        sample_limit: 10_000,
        drop_metrics: [],
      },
      targets_status: [{ url: scrape().targets[0]?.url, up: false, last_error: '', samples: 0 }],
    })
    expect(config).not.toHaveProperty('endpoints')
    const listed = await api.observability.listIngestionConfigs({ ...at(), filter: 'name="plain*"' })
    expect(listed.ingestion_configs).toEqual([await read(otlp), config, await read(write)])
    expect(JSON.stringify(listed)).not.toContain('kind')
  })

  it('keeps hashes of keys alone, and a key that an update sends without its secret', async () => {
    const keys = [
      { name: 'one', secret, expire_time: '2999-01-01T01:00:00+01:00' },
      { name: 'two', secret: `${secret}2` },
    ]
    const id = await create({ name: 'keys', otlp: {}, ingest_keys: keys })
    const first = await read(id)
    expect(first.ingest_keys).toEqual([{ name: 'one', expire_time: '2999-01-01T00:00:00.000Z' }, { name: 'two' }])
    const store = await openBeside(platform.config, storeCollections(areas))
    try {
      const stored = async () => (await store.get(ingestionConfigCollection, id))?.value ?? { ingest_keys: [] }
      expect((await stored()).ingest_keys[0]?.sha256).toBe(createHash('sha256').update(secret).digest('hex'))
      expect(JSON.stringify(await stored())).not.toContain(secret)
      expect(hasKey(await stored(), secret, Date.now())).toBe(true)
      expect(hasKey(await stored(), secret, Date.parse('2999-01-01T00:00:00Z'))).toBe(false)
      expect(hasKey(await stored(), `${secret}3`, Date.now())).toBe(false)
      await update(id, { ingest_keys: first.ingest_keys }, 'ingest_keys')
      expect((await read(id)).etag).toBe(first.etag)
      await update(id, { ingest_keys: [{ name: 'two' }, { name: 'new', secret: `${secret}4` }] }, 'ingest_keys')
      expect(hasKey(await stored(), secret, Date.now())).toBe(false)
      expect(hasKey(await stored(), `${secret}2`, Date.now())).toBe(true)
      const second = await read(id)
      await update(id, { ingest_keys: [{ name: 'two', secret: `${secret}5` }, { name: 'new' }] }, 'ingest_keys')
      expect((await read(id)).etag).not.toBe(second.etag)
      expect(hasKey(await stored(), `${secret}2`, Date.now())).toBe(false)
      expect(hasKey(await stored(), `${secret}5`, Date.now())).toBe(true)
    } finally {
      await store.close()
    }
    await expect(update(id, { ingest_keys: [{ name: 'third' }] }, 'ingest_keys')).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'ingest_keys[0].secret' }] },
    })
  })

  it.each([
    ['short', 'kQ7vX2mZ9pR4tB8nW1cY6hJ3dF5gL0s'],
    ['long', secret.repeat(9)],
    ['with a blank', `${secret} x`],
    ['with a letter outside of ASCII', `${secret}é`],
    ['of few characters', 'ab'.repeat(20)],
  ])('refuses a key that is %s', async (_what, weak) => {
    const body = { name: 'weak', otlp: {}, ingest_keys: [{ name: 'a', secret: weak }] }
    await expect(create(body)).rejects.toMatchObject({
      reason: 'INGEST_KEY_WEAK',
      details: { badRequest: [{ field: 'ingest_keys[0].secret' }] },
    })
    const error: Error = await create(body).then(
      () => new Error('accepted'),
      (thrown: Error) => thrown,
    )
    expect(error.message).not.toContain(weak)
  })

  it.each<[string, Partial<IngestionConfigInput>, string]>([
    ['no kind', {}, 'otlp'],
    ['two kinds', { otlp: {}, prometheus_remote_write: {} }, 'prometheus_remote_write'],
    ['a key without a secret', { otlp: {}, ingest_keys: [{ name: 'a' }] }, 'ingest_keys[0].secret'],
    [
      'two keys of one name',
      {
        otlp: {},
        ingest_keys: [
          { name: 'a', secret },
          { name: 'a', secret },
        ],
      },
      'ingest_keys[1].name',
    ],
    ['keys of a scrape', { prometheus_scrape: scrape(), ingest_keys: [{ name: 'a', secret }] }, 'ingest_keys'],
    [
      'an interval below 5 seconds',
      { prometheus_scrape: { ...scrape(), scrape_interval: '4.999s', scrape_timeout: '1s' } },
      'prometheus_scrape.scrape_interval',
    ],
    [
      'a timeout above the interval',
      { prometheus_scrape: { ...scrape(), scrape_interval: '5s' } },
      'prometheus_scrape.scrape_timeout',
    ],
    [
      'a timeout of zero',
      { prometheus_scrape: { ...scrape(), scrape_timeout: '0s' } },
      'prometheus_scrape.scrape_timeout',
    ],
    [
      'two targets with the same labels',
      { prometheus_scrape: { targets: [{ url: 'https://198.51.100.7/a' }, { url: 'https://198.51.100.7:443/b' }] } },
      'prometheus_scrape.targets[1]',
    ],
    ['a static label of Prometheus', { otlp: {}, static_labels: { __name__: 'x' } }, 'static_labels.__name__'],
    [
      'a label of Prometheus at a target',
      { prometheus_scrape: { targets: [{ url: 'https://198.51.100.7/a', labels: { __address__: 'x' } }] } },
      'prometheus_scrape.targets[0].labels.__address__',
    ],
    [
      'an absent secret',
      { prometheus_scrape: { ...scrape(), authorization_secret_id: absentId } },
      'prometheus_scrape.authorization_secret_id',
    ],
  ])('is refused with %s', async (_what, body, field) => {
    await expect(create({ name: 'refused', ...body })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field }] },
    })
  })

  it.each([
    'http://127.0.0.1:9100/metrics',
    'http://2130706433/metrics',
    'http://0x7f.1/metrics',
    'http://[::ffff:10.0.0.1]/metrics',
    'http://169.254.169.254/latest/meta-data',
    'https://localhost/metrics',
    'https://user:secret@198.51.100.7/metrics',
    'ftp://198.51.100.7/metrics',
  ])('does not scrape %s', async url => {
    const refused = {
      reason: 'SCRAPE_TARGET_FORBIDDEN',
      details: { badRequest: [{ field: 'prometheus_scrape.targets[1].url' }] },
    }
    const targets = [...scrape().targets, { url }]
    await expect(create({ name: 'forbidden', prometheus_scrape: { targets } })).rejects.toMatchObject(refused)
    const { ingestion_configs } = await api.observability.listIngestionConfigs({ ...at(), filter: 'name=to-forbid' })
    const id = ingestion_configs[0]?.id ?? (await create({ name: 'to-forbid', prometheus_scrape: scrape() }))
    await expect(update(id, { prometheus_scrape: { targets } }, 'prometheus_scrape.targets')).rejects.toMatchObject(
      refused,
    )
  })

  it('keeps its kind, whose members an update resets', async () => {
    const id = await create({ name: 'fixed', otlp: { delta_to_cumulative: true } })
    await expect(update(id, { otlp: {}, prometheus_remote_write: {} })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
    })
    await expect(update(id, { prometheus_remote_write: {} })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await update(id, { display_name: 'Fixed' })
    expect(await read(id)).toMatchObject({ display_name: 'Fixed', otlp: { delta_to_cumulative: false } })
    const scraped = await create({ name: 'fixed-scrape', prometheus_scrape: scrape() })
    await expect(update(scraped, { enabled: false })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'prometheus_scrape.targets' }] },
    })
    const before = await read(scraped)
    await update(scraped, { prometheus_scrape: scrape() })
    expect((await read(scraped)).etag).toBe(before.etag)
    await update(scraped, { enabled: false }, 'enabled')
    expect(await read(scraped)).toMatchObject({ enabled: false, prometheus_scrape: before.prometheus_scrape })
    const short = { prometheus_scrape: { scrape_interval: '9s' } }
    await expect(update(scraped, short, 'prometheus_scrape.scrape_interval')).rejects.toMatchObject({
      details: { badRequest: [{ field: 'prometheus_scrape.scrape_timeout' }] },
    })
  })

  it('has a name that no other one of the workspace has, and counts for the quota', async () => {
    const other = await addTenant(api, 'crowded')
    const place = { workspace: other.workspace, engine: 'native' }
    const make = (name: string) =>
      api.observability.createIngestionConfig({ ...place, body: { name, prometheus_remote_write: {} } })
    await make('c-0')
    await expect(make('c-0')).rejects.toMatchObject({
      reason: 'INGESTION_CONFIG_ALREADY_EXISTS',
      details: { resource: { type: 'observability.ingestionConfigs', name: 'c-0' } },
    })
    for (let i = 1; i < 20; i += 1) await make(`c-${i}`)
    await expect(make('c-20')).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { quota: 'observability.ingestionConfigs', limit: '20' },
    })
    await expect(read(absentId)).rejects.toMatchObject({ reason: 'INGESTION_CONFIG_NOT_FOUND' })
  })
})

describe('the secret of a scrape', () => {
  it('is used by callers who may access it, and stays while a config uses it', async () => {
    const vaultAt = at()
    const newSecret = (name: string) => api.vault.createSecret({ ...vaultAt, body: { name } })
    const { resource_id: secretId } = await newSecret('token')
    const { resource_id: secondId } = await newSecret('second')
    const editor = await addMember(platform, api, {
      email: 'editor@acme.test',
      grants: [roleAt('workspace-editor', 'WORKSPACE', tenant.workspace)],
    })
    const withSecret = (authorization_secret_id: string) => ({ ...scrape(), authorization_secret_id })
    const body = { name: 'with-secret', prometheus_scrape: withSecret(secretId) }
    const denied = { reason: 'IAM_PERMISSION_DENIED', metadata: { permission: 'vault.secretVersions.access' } }
    await expect(editor.api.observability.createIngestionConfig({ ...at(), body })).rejects.toMatchObject(denied)
    const id = await create(body)
    const by = (mask: string, change: IngestionConfigUpdate) =>
      editor.api.observability.updateIngestionConfig({ ...at(), id, update_mask: mask, body: change })
    await expect(by('display_name', { display_name: 'x' })).rejects.toMatchObject(denied)
    const targets = { prometheus_scrape: { targets: [{ url: 'https://198.51.100.8/' }] } }
    await expect(by('prometheus_scrape.targets', targets)).rejects.toMatchObject(denied)
    await expect(api.vault.deleteSecret({ ...vaultAt, id: secretId })).rejects.toMatchObject({
      reason: 'SECRET_IN_USE',
    })
    await update(id, { prometheus_scrape: withSecret(secondId) }, 'prometheus_scrape.authorization_secret_id')
    await api.vault.deleteSecret({ ...vaultAt, id: secretId })
    await expect(api.vault.deleteSecret({ ...vaultAt, id: secondId })).rejects.toMatchObject({
      reason: 'SECRET_IN_USE',
    })
    await by('prometheus_scrape', { prometheus_scrape: scrape() })
    await by('display_name', { display_name: 'x' })
    await api.vault.deleteSecret({ ...vaultAt, id: secondId })
  })
})
