import { beforeAll, describe, expect, it } from 'vitest'
import { BodyMemory } from '../../../../../domain/observability/plane/read-body.ts'
import { observabilitySettings } from '../../../../../server/observability/settings.ts'
import type { SettingValues } from '../../../../../server/settings/declarations.ts'
import { GivenSettings } from '../../../../../server/settings/values.ts'
import { gaugeRequest, servedPlane, type ServedPlane } from '../served-plane.ts'
import { afterTests } from '../../../../undo.ts'

type Limits = SettingValues<typeof observabilitySettings>['observability.limits']

describe('a workspace with a limit of samples a second', () => {
  const limits = new Map<string, Limits extends ReadonlyMap<string, infer Limit> ? Limit : never>()
  let plane: ServedPlane
  let config: string
  beforeAll(async () => {
    const given = new GivenSettings().with(observabilitySettings['observability.limits'], limits)
    plane = await servedPlane(afterTests, given)
    const { group: parent_group_id, organisation } = plane.tenant
    const body = { name: 'limited', parent_group_id }
    const { resource_id: workspace } = await plane.api.taxonomy.createWorkspace({ organisation, body })
    limits.set(workspace, { samplesPerSecond: 10 })
    config = await plane.config({ name: 'otlp', otlp: {} }, workspace)
  })

  /** Returns a request with a number of samples. */
  const requestOf = (count: number) => {
    const timeUnixNano = `${Date.now()}000000`
    const dataPoints = Array.from({ length: count }, (_, index) => ({
      timeUnixNano,
      asDouble: index,
      attributes: [{ key: 'n', value: { stringValue: String(index) } }],
    }))
    return JSON.stringify({
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'many', gauge: { dataPoints } }] }] }],
    })
  }

  it('pushes a burst, and then waits as long as the burst takes at its rate', async () => {
    const burst = await plane.push(config, requestOf(130))
    expect([burst.status, await burst.json()]).toEqual([200, {}])
    const refused = await plane.push(config, requestOf(1))
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { code: 8, details: [{ reason: 'INGEST_RATE_EXCEEDED', metadata: { code: '4003010' } }, {}, {}] },
    ])
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(4)
    await expect.poll(async () => (await plane.push(config, requestOf(1))).status, { timeout: 10_000 }).toBe(200)
  })

  it('does not slow another workspace down', async () => {
    await expect.poll(async () => (await plane.push(config, requestOf(300))).status, { timeout: 10_000 }).toBe(200)
    expect((await plane.push(config, requestOf(1))).status).toBe(429)
    const id = await plane.config({ name: 'calm', otlp: {} })
    for (let round = 0; round < 3; round++)
      expect((await plane.push(id, JSON.stringify(gaugeRequest('calm')))).status).toBe(200)
  })
})

describe('the memory of bodies', () => {
  const mib = new Uint8Array(1024 * 1024)
  const bodyOf = async function* (count: number) {
    for (let sent = 0; sent < count; sent++) yield mib
  }

  it('holds 256 MiB at one time, and refuses further bodies until others have ended', async () => {
    const memory = new BodyMemory()
    const ends: (() => void)[] = []
    const held = Array.from({ length: 4 }, () =>
      memory.read(bodyOf(64), undefined, () => new Promise<void>(resolve => void ends.push(resolve))),
    )
    await expect.poll(() => ends.length).toBe(4)
    const refused = memory.read(bodyOf(1), undefined, async () => 'read')
    await expect(refused).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE', details: { retryAfterSeconds: 5 } })
    for (const end of ends) end()
    await Promise.all(held)
    await expect(memory.read(bodyOf(1), undefined, async bytes => bytes.length)).resolves.toBe(mib.length)
  })

  it('refuses a body by its declared length before it is read', async () => {
    const unread = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the body was read')) }) }
    const length = String(64 * 1024 * 1024 + 1)
    const refused = new BodyMemory().read(unread, length, async () => 'read')
    await expect(refused).rejects.toMatchObject({ reason: 'PAYLOAD_TOO_LARGE' })
  })
})
