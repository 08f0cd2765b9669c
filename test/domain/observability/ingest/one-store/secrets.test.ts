import { expect, it } from 'vitest'
import { addTenant } from '../../../../areas/members.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { gaugeRequest, key } from '../served-plane.ts'

it('neither keys nor tokens of senders are in the log, in answers and in activities', async () => {
  const platform = await testPlatform()
  const { api, token } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const body = { name: 'otlp', otlp: {}, ingest_keys: [{ name: 'sender', secret: key }] }
  const { resource_id: id } = await api.observability.createIngestionConfig({ workspace, engine: 'native', body })
  const wrong = `${key}Wrong`
  const told: string[] = []
  const bodies = [JSON.stringify(gaugeRequest('a')), '{', '{"resourceMetrics":1}']
  for (const credential of [key, wrong, token, `${token}x`])
    for (const sent of bodies) {
      const answer = await platform.from('192.0.2.7')(`http://platform.test/ingest/${id}/v1/metrics`, {
        method: 'POST',
        body: sent,
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      })
      told.push(await answer.text(), JSON.stringify([...answer.headers]))
    }
  const { activities } = await api.observability.listActivities({ page_size: 100 })
  const all = [...told, ...platform.lines, JSON.stringify(activities)].join('\n')
  expect(all).toContain('INGEST_UNAUTHENTICATED')
  for (const secret of [key, wrong, token]) expect(all).not.toContain(secret)
})
