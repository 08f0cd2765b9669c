import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { MemberSetting } from '../../../../../server/observability/stack/member.ts'
import type { StorePlace } from '../../../../../server/platform-store.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { whileOpen } from '../../../../areas/while-open.ts'
import { hostileHost } from '../../../../server/observability/outbound/hostile-host.ts'
import { servedApi, type ApiAnswer, type ApiRequest } from '../../../../server/observability/stack/api-member.ts'
import { freePort } from '../../../../server/killed/processes.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import { afterTests } from '../../../../undo.ts'
import { startStore, storePrograms } from '../real-stores.ts'
import { withStacks, type GivenStack } from '../stack-settings.ts'

let place: StorePlace

beforeAll(async () => {
  place = await testStorePlace(afterTests)
  await whileOpen(place, async () => {})
})

/** Returns the findings of the doctor about a store whose settings have some stacks. */
const findings = (...stacks: readonly GivenStack[]) => doctorFindings({ ...place, given: withStacks(...stacks) })

/** The answers of sound members, by path. */
const sound: Readonly<Record<string, ApiAnswer>> = {
  '/api/v1/query': { body: { status: 'success', data: { resultType: 'vector', result: [] } } },
  '/loki/api/v1/query': { body: { status: 'success', data: { resultType: 'vector', result: [] } } },
  '/api/echo': { body: 'echo' },
  '/api/v3/services': { body: { services: ['api'] } },
  '/api/v2/status': { body: { cluster: { status: 'ready' } } },
  '/v1/traces': { body: '' },
  '/v1/logs': { body: '' },
  '/v1/metrics': { body: '' },
}

const serveSound = ({ path }: ApiRequest): ApiAnswer => sound[path] ?? { status: 404, body: 'secret' }

const membersAt = (url: string): Partial<Record<MemberSetting, string>> => ({
  metrics_url: url,
  logs_url: url,
  traces_url: url,
  otlp_url: url,
  alertmanager_url: url,
})

describe('the doctor', () => {
  it.each([false, true])('finds nothing wrong with members that serve, with tenants: %j', async multi_tenant => {
    const { requests, url } = await servedApi(serveSound, onTestFinished)
    const stacks = [
      { name: 'far', ...membersAt(url), multi_tenant },
      { name: 'jaeger', traces_url: `${url}/api/v3`, multi_tenant },
      { name: 'empty' },
    ]
    expect(await findings(...stacks)).toEqual([])
    expect(requests.map(({ path }) => path).toSorted()).toEqual(Object.keys(sound).toSorted())
    const tenants = new Set(requests.map(({ headers }) => headers['x-scope-orgid']))
    expect([...tenants]).toEqual([multi_tenant ? '00000000-0000-7000-8000-000000000003' : undefined])
    for (const { body } of requests) expect(body).toHaveLength(0)
  })

  it('asks a receiver below the path `/api/v3` as any other receiver', async () => {
    const { requests, url } = await servedApi(() => ({ body: '' }), onTestFinished)
    expect(await findings({ name: 'far', otlp_url: `${url}/api/v3` })).toEqual([])
    expect(requests.map(({ path }) => path)).toContain('/api/v3/v1/traces')
  })

  it.each(['traces', 'logs', 'metrics'])('finds nothing wrong with a receiver of %s alone', async signal => {
    const receives = ({ path }: ApiRequest) => (path === `/v1/${signal}` ? { body: '' } : { status: 404, body: '' })
    const { url } = await servedApi(receives, onTestFinished)
    expect(await findings({ name: 'far', otlp_url: url })).toEqual([])
  })

  it.each<readonly [string, ApiAnswer]>([
    ['another status', { status: 404, body: 'secret' }],
    ['a refusal', { status: 401, body: 'secret' }],
    ['an error', { status: 502, body: 'secret' }],
    ['a redirection', { status: 302, body: 'secret' }],
  ])('names the settings of members that answer with %s, and nothing of the members', async (_what, answer) => {
    const { url } = await servedApi(() => answer, onTestFinished)
    const told = await findings({ name: 'far', ...membersAt(url) }, { name: 'jaeger', traces_url: `${url}/api/v3` })
    expect(told.map(finding => finding.split(' of the engine ')[0])).toEqual([
      'observability.engines far: metrics_url',
      'observability.engines far: logs_url',
      'observability.engines far: traces_url',
      'observability.engines far: otlp_url',
      'observability.engines far: alertmanager_url',
      'observability.engines jaeger: traces_url',
    ])
    expect(told.join('\n')).not.toMatch(/secret|127\.0\.0\.1|http:/)
  })

  it('names members that answer with something else than their APIs', async () => {
    const { url } = await servedApi(() => ({ body: { status: 'secret' } }), onTestFinished)
    const other = await servedApi(() => ({ body: 'secret' }), onTestFinished)
    const told = await findings({
      name: 'far',
      metrics_url: url,
      logs_url: url,
      traces_url: `${other.url}/api/v3`,
      alertmanager_url: other.url,
    })
    expect(told).toEqual([
      'observability.engines far: metrics_url of the engine far answers with something else than the API of Prometheus',
      'observability.engines far: logs_url of the engine far answers with something else than the API of Loki',
      'observability.engines far: traces_url of the engine far answers with something else than JSON',
      'observability.engines far: alertmanager_url of the engine far answers with something else than JSON',
    ])
  })

  it('names members that refuse connections or do not answer, all in the time of one request', async () => {
    const silent = await hostileHost(() => {})
    const closed = `http://127.0.0.1:${await freePort()}`
    const begun = performance.now()
    const told = await findings(
      { name: 'closed', metrics_url: closed },
      { name: 'silent', ...membersAt(`http://127.0.0.1:${silent.port}`) },
    )
    const late = 'of the engine silent does not answer: the whole response did not arrive within 5 s'
    expect(told).toEqual([
      'observability.engines closed: metrics_url of the engine closed does not answer: the host refused the connection',
      ...Object.keys(membersAt('')).map(setting => `observability.engines silent: ${setting} ${late}`),
    ])
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  describe.each(storePrograms)('with $program', store => {
    it.skipIf(lacks(`of the doctor by ${store.program}`, store.program))('finds nothing wrong', async () => {
      const url = await startStore(store, onTestFinished)
      expect(await findings({ name: 'far', metrics_url: url })).toEqual([])
    })
  })
})
