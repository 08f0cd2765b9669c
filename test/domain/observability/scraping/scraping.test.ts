import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { PrometheusScrapeInput } from '../../../../output/observability/types.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { addTenant, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { targetPage } from './target-page.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let api: Ninefold
let tenant: Tenant

beforeAll(async () => {
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  platform = await testPlatform({ later: afterTests, config: { given } })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
})

const at = () => ({ workspace: tenant.workspace, engine: 'native' })
const read = (id: string) => api.observability.getIngestionConfig({ ...at(), id })

/** Creates a config that scrapes a URL every 5 seconds. */
async function scrape(name: string, url: string, more: Partial<PrometheusScrapeInput> = {}): Promise<string> {
  const prometheus_scrape = { targets: [{ url }], scrape_interval: '5s', scrape_timeout: '2s', ...more }
  const body = { name, prometheus_scrape, static_labels: { cluster: 'main' } }
  return (await api.observability.createIngestionConfig({ ...at(), body })).resource_id
}

/** Waits until a promise has a value that satisfies `isDone`, at most 20 seconds; returns the value. */
async function until<T>(make: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (let i = 0; ; i += 1) {
    const value = await make()
    if (isDone(value) || i === 200) return value
    await setTimeout(100)
  }
}

/** Returns the elements of an instant vector: labels and value. */
async function vector(query: string): Promise<readonly (readonly [Record<string, string>, string])[]> {
  const { vector: elements = [] } = await api.observability.queryMetrics({ ...at(), body: { query } })
  return elements.map(({ metric, value }) => [metric, value] as const)
}

const status = async (id: string) => (await read(id)).targets_status[0]
const scrapedAfter = (id: string, time = '') =>
  until(
    () => status(id),
    found => (found?.last_scrape_time ?? '') > time,
  )

describe('a target', () => {
  it('is scraped with the labels of the config, and says what it was', async () => {
    const page = await targetPage(onTestFinished)
    page.body = '# TYPE hits counter\nhits{job="own",code="200"} 7\nhits{code="500"} 1\ngo_x 1\n'
    const id = await scrape('shop', page.url, { drop_metrics: ['go_*'] })
    expect(await scrapedAfter(id)).toMatchObject({ url: page.url, up: true, last_error: '', samples: 2 })
    const labels = { job: 'shop', instance: page.instance, cluster: 'main' }
    expect(await vector('hits')).toEqual(
      expect.arrayContaining([
        [{ __name__: 'hits', code: '200', exported_job: 'own', ...labels }, '7'],
        [{ __name__: 'hits', code: '500', ...labels }, '1'],
      ]),
    )
    const about = { job: 'shop', instance: page.instance, cluster: 'main' }
    expect(await vector('up{job="shop"}')).toEqual([[{ __name__: 'up', ...about }, '1']])
    expect(await vector('scrape_samples_scraped{job="shop"}')).toEqual([[expect.anything(), '3']])
    expect(await vector('scrape_samples_post_metric_relabeling{job="shop"}')).toEqual([[expect.anything(), '2']])
    // A slow machine may have scraped again, which adds no series.
    const added = 'max_over_time(scrape_series_added{job="shop"}[5m])'
    expect(await vector(added)).toEqual([[expect.anything(), '2']])
    expect(await vector('go_x')).toEqual([])
    expect(page.requests[0]?.accept).toMatch(/^application\/openmetrics-text;version=1\.0\.0/)
    const { stats } = await read(id)
    expect(stats).toMatchObject({ rejected: 0, last_received_time: expect.any(String) })
    expect([stats.accepted > 0, stats.accepted % 7]).toEqual([true, 0])
    expect((await read(id)).etag).toBe((await read(id)).etag)
  })

  it('may have samples as old as the retention of its workspace', async () => {
    const { workspace } = await addTenant(api, 'long-kept')
    const where = { workspace, engine: 'native' }
    const { observability } = api
    const { retention_policies: policies } = await observability.listRetentionPolicies({
      ...where,
      filter: 'name = "default-metrics"',
    })
    const [{ id = '' } = {}] = policies
    const days = (count: number) => count * 86_400_000
    await observability.updateRetentionPolicy({
      ...where,
      id,
      update_mask: 'retention',
      body: { retention: `${days(30) / 1000}s` },
    })
    const time = Date.now() - days(20)
    const page = await targetPage(onTestFinished, `kept 1 ${time}\ngone 1 ${time - days(11)}\n`)
    const prometheus_scrape = { targets: [{ url: page.url }], scrape_interval: '5s', scrape_timeout: '2s' }
    await observability.createIngestionConfig({ ...where, body: { name: 'old', prometheus_scrape } })
    const body = { query: '{__name__=~"kept|gone"}', time: new Date(time + 1000).toISOString() }
    await expect
      .poll(async () => (await observability.queryMetrics({ ...where, body })).vector, { timeout: 60_000 })
      .toMatchObject([{ metric: { __name__: 'kept' }, value: '1' }])
  })

  it('ends the series that leave the page, and all of them when it is down or disabled', async () => {
    const page = await targetPage(onTestFinished, 'kept 1\nleft 2\n')
    const id = await scrape('ends', page.url)
    const first = await scrapedAfter(id)
    expect(await vector('{job="ends",__name__=~"kept|left"}')).toHaveLength(2)
    const { etag } = await read(id)
    page.body = 'kept 3\n'
    const second = await scrapedAfter(id, first?.last_scrape_time)
    expect(await vector('kept{job="ends"}')).toEqual([[expect.anything(), '3']])
    expect(await vector('left{job="ends"}')).toEqual([])
    page.body = 503
    const third = await scrapedAfter(id, second?.last_scrape_time)
    expect(third).toMatchObject({ up: false, last_error: 'the target answered with the HTTP status 503', samples: 0 })
    expect(await vector('kept{job="ends"}')).toEqual([])
    expect(await vector('up{job="ends"}')).toEqual([[expect.anything(), '0']])
    page.body = 'kept 4\nkept{\n'
    const fourth = await scrapedAfter(id, third?.last_scrape_time)
    expect(fourth?.last_error).toMatch(/^line 2 of the page: /)
    page.body = 'kept 5\n'
    await scrapedAfter(id, fourth?.last_scrape_time)
    expect(await vector('kept{job="ends"}')).toEqual([[expect.anything(), '5']])
    expect((await read(id)).etag).toBe(etag)
    await api.observability.updateIngestionConfig({ ...at(), id, update_mask: 'enabled', body: { enabled: false } })
    expect(
      await until(
        () => vector('{job="ends"}'),
        found => found.length === 0,
      ),
    ).toEqual([])
  })

  it('gets the payload of the secret of the config, and is down while the payload cannot be read', async () => {
    const page = await targetPage(onTestFinished, 'a 1\n')
    const { resource_id: secret } = await api.vault.createSecret({ ...at(), body: { name: 'scrape-token' } })
    const id = await scrape('secured', page.url, { authorization_secret_id: secret })
    expect(await scrapedAfter(id)).toMatchObject({
      up: false,
      last_error: 'authorization_secret_id cannot be read (SECRET_VERSION_NOT_FOUND)',
    })
    expect(page.requests).toHaveLength(0)
    const data = Buffer.from('Bearer hidden-word\n').toString('base64')
    await api.vault.addSecretVersion({ ...at(), secret, body: { payload: { data } } })
    expect(
      await until(
        () => status(id),
        found => found?.up === true,
      ),
    ).toMatchObject({ up: true })
    expect(page.requests[0]?.authorization).toBe('Bearer hidden-word')
    expect(platform.lines.join('\n')).not.toContain('hidden-word')
  })

  it('is not scraped in a suspended workspace', async () => {
    const other = await addTenant(api, 'paused')
    const page = await targetPage(onTestFinished, 'a 1\n')
    const place = { workspace: other.workspace, engine: 'native' }
    const prometheus_scrape = { targets: [{ url: page.url }], scrape_interval: '5s', scrape_timeout: '2s' }
    await api.observability.createIngestionConfig({ ...place, body: { name: 'paused', prometheus_scrape } })
    await until(
      async () => page.requests.length,
      count => count > 0,
    )
    await api.taxonomy.suspendWorkspace({ organisation: other.organisation, id: other.workspace, body: {} })
    const series = async () =>
      (await api.observability.queryMetrics({ ...place, body: { query: '{job="paused"}' } })).vector ?? []
    expect(await until(series, found => found.length === 0)).toEqual([])
    const before = page.requests.length
    await setTimeout(6_000)
    expect(page.requests).toHaveLength(before)
  })
})
