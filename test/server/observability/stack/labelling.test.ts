import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { LabelCall } from '../../../../server/observability/stack/forwarding/label-request.ts'
import { testLabelling } from './test-labelling.ts'

const spans = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    traceId: String(i + 1).padStart(32, '0'),
    spanId: String(i + 1).padStart(16, '0'),
    name: 'call',
    startTimeUnixNano: '1764500000000000000',
    endTimeUnixNano: '1764500000000000001',
  }))

const requestOf = (value: object, staticLabels = {}): LabelCall => ({
  workspace: 'w',
  signal: 'TRACES',
  sent: { body: Buffer.from(JSON.stringify(value)), coding: 'identity', format: 'otlp-json', staticLabels },
})

it('requests for stacks get their labels while the server does other work', async () => {
  const labelling = testLabelling()
  const call = requestOf({ resourceSpans: [{ scopeSpans: [{ spans: spans(5_000) }] }] }, { region: 'north' })
  let turns = 0
  const over = new AbortController()
  const labelled = labelling.label(call).finally(() => over.abort())
  while (!over.signal.aborted) {
    await setImmediate()
    turns += 1
  }
  const { body, items } = await labelled
  expect(turns).toBeGreaterThan(1)
  expect(items).toBe(5_000)
  const { resourceSpans } = JSON.parse(new TextDecoder().decode(body))
  expect(resourceSpans[0].resource.attributes).toEqual([
    { key: 'region', value: { stringValue: 'north' } },
    { key: 'workspace_id', value: { stringValue: 'w' } },
  ])
})

it('requests for stacks that are refused do not end the thread of others', async () => {
  const labelling = testLabelling()
  const one = () => labelling.label(requestOf({ resourceSpans: [{ scopeSpans: [{ spans: spans(1) }] }] }))
  const faulty = labelling.label(requestOf({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'x' }] }] }] }))
  const [before, refused, after] = await Promise.allSettled([one(), faulty, one()])
  expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(refused).toMatchObject({ reason: { reason: 'PAYLOAD_INVALID' } })
})

it('requests for stacks are labelled by a new thread after an end', async () => {
  const labelling = testLabelling()
  const one = () => labelling.label(requestOf({ resourceSpans: [{ scopeSpans: [{ spans: spans(1) }] }] }))
  expect((await one()).items).toBe(1)
  await labelling.end()
  expect((await one()).items).toBe(1)
})
