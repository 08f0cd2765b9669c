import { beforeAll, expect, it } from 'vitest'
import type { IngestionConfigUpdate } from '../../../../output/observability/types.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { raceRounds, toldOutcomes } from '../../../areas/race.ts'
import { afterTests } from '../../../undo.ts'
import { gaugeRequest, servedPlane, type ServedPlane } from '../ingest/served-plane.ts'
import { areasWithClock, MovedClock } from '../moved-clock.ts'
import { targetPage, type TargetPage } from '../scraping/target-page.ts'
import { raceLimit, soon } from './raced-alerts.ts'

/** The time for which a server uses a config that it has read, in milliseconds. */
const freshMs = 500

/** The number of laps; each takes a second or two, and has several races. */
const laps = Math.ceil(raceRounds / 4)

const clock = new MovedClock()

let plane: ServedPlane

beforeAll(async () => {
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  plane = await servedPlane(afterTests, given, areasWithClock(clock))
})

const update = (id: string, body: IngestionConfigUpdate, update_mask: string) =>
  plane.api.observability.updateIngestionConfig({
    workspace: plane.tenant.workspace,
    engine: 'native',
    id,
    body,
    update_mask,
  })

/** Returns the labels of the elements of a query now. */
async function labelsOf(query: string) {
  const body = { query, time: clock.afterNow }
  const at = { workspace: plane.tenant.workspace, engine: 'native' }
  return (await plane.api.observability.queryMetrics({ ...at, body })).vector.map(({ metric }) => metric)
}

/** Returns 200, or the reason of a refusal. */
async function pushed(config: string, name: string): Promise<string> {
  const answer = await plane.push(config, JSON.stringify(gaugeRequest(name, clock.now)))
  if (answer.status === 200) return '200'
  if (answer.status === 503) return pushed(config, name)
  const { details }: { readonly details: readonly { readonly reason?: string }[] } = await answer.json()
  return details[0]?.reason ?? ''
}

it(
  'pushes while their config is disabled and changed are taken whole, or refused and not stored',
  raceLimit,
  async () => {
    const config = await plane.config({ name: 'pushed', otlp: {} })
    const outcomes = new Map<string, number>()
    for (let round = 0; round < laps; round += 1) {
      await expect.poll(() => pushed(config, 'ready')).toBe('200')
      const names = Array.from({ length: 6 }, (_, i) => `raced_${round}_${i}`)
      const [labelled, off, ...answers] = await Promise.all([
        soon(() => update(config, { static_labels: { round: String(round) } }, 'static_labels')),
        soon(() => update(config, { enabled: false }, 'enabled')),
        ...names.map(name => soon(() => pushed(config, name), 2 * freshMs)),
      ])
      expect([labelled.resource_id, off.resource_id]).toEqual([config, config])
      for (const [i, name] of names.entries()) {
        const [answer = '', found] = [answers[i], await labelsOf(name)]
        expect([answer, found.length]).toEqual(answer === '200' ? ['200', 1] : ['INGESTION_DISABLED', 0])
        const isLabelled = found.some(({ round: label }) => label === String(round))
        const outcome = answer === '200' ? `taken with ${isLabelled ? 'new' : 'old'} labels` : answer
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      await expect.poll(() => pushed(config, 'refused')).toBe('INGESTION_DISABLED')
      await update(config, { enabled: true }, 'enabled')
    }
    console.log(`pushes and a disabled config: ${toldOutcomes(outcomes)}`)
  },
)

it('scrapes while their config changes end the series of the config as it was', raceLimit, async () => {
  const page = await targetPage(afterTests, 'shown 1\n')
  const prometheus_scrape = { targets: [{ url: page.url }], scrape_interval: '5s', scrape_timeout: '2s' }
  const config = await plane.config({ name: 'scraped', prometheus_scrape, ingest_keys: [] })
  const roundsNow = async () =>
    (await Promise.all(['up{job="scraped"}', 'shown{job="scraped"}'].map(labelsOf))).map(found =>
      found.map(({ round }) => round),
    )
  /** Moves the clock until a series of the target has this label; expects that it is the only series then. */
  const untilScraped = async (label: string | undefined) => {
    const isScraped = async () => {
      clock.next()
      return (await roundsNow())[0]?.includes(label)
    }
    await expect.poll(isScraped, { interval: 200 }).toBe(true)
    expect(await roundsNow()).toEqual([[label], [label]])
  }
  /** Changes the config while it is scraped. */
  const change = (body: IngestionConfigUpdate, mask: string) => {
    clock.next()
    return soon(() => update(config, body, mask))
  }
  await untilScraped(undefined)
  for (let round = 0; round < laps; round += 1) {
    await change({ static_labels: { round: String(round) } }, 'static_labels')
    await untilScraped(String(round))
    await change({ enabled: false }, 'enabled')
    await expect.poll(roundsNow).toEqual([[], []])
    const { length } = page.requests
    for (let tick = 0; tick < 3; tick += 1) {
      clock.next()
      expect(await roundsNow()).toEqual([[], []])
    }
    expect(page.requests).toHaveLength(length)
    await update(config, { enabled: true }, 'enabled')
    await untilScraped(String(round))
  }
  expect(await doctorFindings(plane.place)).toEqual([])
})

it('a first scrape that ends after its config was disabled leaves no series', raceLimit, async () => {
  const [slow, witness] = [await targetPage(afterTests, 'shown 1\n'), await targetPage(afterTests, 'shown 1\n')]
  const held = Promise.withResolvers<void>()
  slow.held = held.promise
  const scraped = (name: string, { url }: TargetPage) => {
    const prometheus_scrape = { targets: [{ url }], scrape_interval: '5s', scrape_timeout: '5s' }
    return plane.config({ name, prometheus_scrape, ingest_keys: [] })
  }
  const other = await scraped('witness', witness)
  const config = await scraped('slow', slow)
  const areScraped = async () => {
    clock.next()
    return slow.requests.length > 0 && (await labelsOf('up{job="witness"}')).length > 0
  }
  await expect.poll(areScraped, { interval: 200 }).toBe(true)
  await update(config, { enabled: false }, 'enabled')
  await update(other, { enabled: false }, 'enabled')
  // The schedule reads all configs at once.
  await expect.poll(() => labelsOf('up{job="witness"}')).toEqual([])
  held.resolve()
  const status = async () => {
    const at = { workspace: plane.tenant.workspace, engine: 'native' }
    return (await plane.api.observability.getIngestionConfig({ ...at, id: config })).targets_status[0]
  }
  await expect.poll(async () => (await status())?.last_scrape_time).not.toBe(undefined)
  expect(await labelsOf('{job="slow"}')).toEqual([])
})
