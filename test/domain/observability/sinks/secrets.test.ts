import { beforeAll, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { withFrequentWorkers } from '../../../areas/kill/frequent-worker.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'
import { lineReceiver, type LineReceiver } from './line-receiver.ts'
import { waitMs } from './served-sinks.ts'

const activities = 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES'

/** The secrets of a webhook, of the headers of a receiver, and of a payload that is no object of headers. */
const secrets = ['horse-battery-of-a-webhook', 'horse-battery-of-a-header', 'horse-battery-of-a-payload'] as const

let platform: TestPlatform
let api: Ninefold
let receiver: LineReceiver
let at: { readonly workspace: string; readonly engine: string }

beforeAll(async () => {
  receiver = await lineReceiver(afterTests)
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  const frequent = areas.map(area => (area.domain.name === 'observability' ? withFrequentWorkers(area) : area))
  platform = await testPlatform({ areas: frequent, config: { given }, later: afterTests })
  api = (await platform.admin()).api
  at = { workspace: (await addTenant(api, 'acme')).workspace, engine: 'native' }
})

/** Creates a secret of the vault, and returns its id. */
async function secretOf(name: string, payload: string): Promise<string> {
  const { resource_id: secret } = await api.vault.createSecret({ ...at, body: { name } })
  const data = Buffer.from(payload).toString('base64')
  await api.vault.addSecretVersion({ ...at, secret, body: { payload: { data } } })
  return secret
}

it('secrets are in requests to their receivers, and in no answer, activity or line of the log', async () => {
  const [ofWebhook, ofHeader, ofPayload] = secrets
  // The receiver answers with the body of the request: a hostile receiver may do so to make the platform store and tell it.
  receiver.answer = (response, { headers }) => {
    const { authorization = ofWebhook } = headers
    response.writeHead(500, authorization, { location: `/${authorization}`, 'www-authenticate': authorization })
    response.end(
      `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"${authorization}"},"message":"${authorization}"}`,
    )
  }
  const otlp = async (name: string, payload: string) => ({
    otlp: { url: `${receiver.url}/otlp`, headers_secret_id: await secretOf(name, payload) },
  })
  const destinations = {
    webhook: { webhook: { url: `${receiver.url}/hook`, secret: ofWebhook } },
    header: await otlp('header', JSON.stringify({ authorization: `Bearer ${ofHeader}` })),
    payload: await otlp('payload', ofPayload),
    split: await otlp('split', JSON.stringify({ [ofPayload]: `${ofPayload}\r\nx: y` })),
    private: { otlp: { url: `http://127.0.0.1:1/${ofPayload}` } },
  }
  const { observability } = api
  const ids: string[] = []
  for (const [name, destination] of Object.entries(destinations)) {
    const body = { name, sources: [activities] as [typeof activities], destination }
    ids.push((await observability.createLogSink({ ...at, body })).resource_id)
  }
  const sinks = async () => (await observability.listLogSinks(at)).log_sinks
  await expect
    .poll(async () => (await sinks()).filter(({ last_error }) => last_error === ''), { timeout: waitMs })
    .toEqual([])
  const found = await sinks()
  expect(Object.fromEntries(found.map(({ last_error, name }) => [name, last_error]))).toEqual({
    webhook: 'the receiver answered with status 500',
    header: 'the receiver answered with status 500',
    payload: 'the secret headers_secret_id is no JSON object of headers',
    split: 'the secret headers_secret_id has a header that cannot be sent',
    private: 'the host refused the connection',
  })
  expect(receiver.arrivals.some(({ headers }) => headers.authorization === `Bearer ${ofHeader}`)).toBe(true)
  const url = destinations.private.otlp.url
  const told = JSON.stringify([
    found,
    await Promise.all(ids.map(id => observability.getLogSink({ ...at, id }))),
    (await observability.listOperations({ page_size: 100 })).operations,
    (await observability.listActivities({ page_size: 100 })).activities,
    platform.lines,
  ]).replaceAll(url, '')
  for (const secret of secrets) expect(told).not.toContain(secret)
})
