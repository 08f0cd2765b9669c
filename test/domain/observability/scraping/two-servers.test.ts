import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { areas } from '../../../../server/areas.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { administrator } from '../../../server/access/sign-in.ts'
import { addTenant } from '../../../areas/members.ts'
import { areaPlace, testPlatform } from '../../../areas/test-platform.ts'
import { targetPage } from './target-page.ts'

const intervalMs = 5_000

it('of two servers one scrapes a target, and the other goes on when it ends', async () => {
  const page = await targetPage(onTestFinished, 'a 1\n')
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  const place = await areaPlace(areas, onTestFinished)
  const ends: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const undo of ends.splice(0)) await undo()
  }
  await testPlatform({ config: { ...place, given }, later: undo => void ends.push(undo) })
  onTestFinished(end)
  const second = await testPlatform({ config: { ...place, given } })
  const { api } = await second.signedIn(administrator.email, administrator.password)
  const { workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine: 'native' }
  const prometheus_scrape = { targets: [{ url: page.url }], scrape_interval: '5s', scrape_timeout: '2s' }
  const { resource_id: id } = await api.observability.createIngestionConfig({
    ...at,
    body: { name: 'shared', prometheus_scrape },
  })
  const scrapes = async (count: number): Promise<void> => {
    for (let i = 0; page.requests.length < count && i < 400; i += 1) await setTimeout(100)
  }
  await scrapes(1)
  const began = performance.now()
  await scrapes(3)
  expect(page.requests).toHaveLength(3)
  expect(performance.now() - began).toBeGreaterThan(2 * intervalMs - 1_000)
  await end()
  await scrapes(4)
  expect(page.requests.length).toBeGreaterThan(3)
  const status = async () => (await api.observability.getIngestionConfig({ ...at, id })).targets_status[0]
  const before = await status()
  await scrapes(5)
  for (let i = 0; i < 100 && (await status())?.last_scrape_time === before?.last_scrape_time; i += 1)
    await setTimeout(100)
  expect(await status()).toMatchObject({ up: true, samples: 1 })
})
