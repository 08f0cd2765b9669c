import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { afterTests } from '../../../undo.ts'
import { type LineReceiver } from './line-receiver.ts'
import { servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'

let served: ServedSinks
let receiver: LineReceiver

beforeAll(async () => {
  served = await servedSinks(afterTests)
  receiver = served.receiver
}, 120_000)

const urlOf = (path: string) => `${receiver.url}${path}`
const answersWell: LineReceiver['answer'] = response => void response.writeHead(200).end()
const megabyte = Buffer.alloc(2 ** 20, 'x')

/** Answers that tell a sink nothing, with the error of the sink. */
const answers: readonly (readonly [what: string, answer: LineReceiver['answer'], error: string])[] = [
  ['an error', response => void response.writeHead(500).end('broken'), 'the receiver answered with status 500'],
  [
    'a redirection',
    response => void response.writeHead(307, { location: urlOf('/elsewhere') }).end(),
    'the receiver answered with status 307',
  ],
  ['no HTTP', response => void response.socket?.end('garbage\r\n\r\n'), 'the response is no valid HTTP'],
  ['no answer', response => void response.socket?.destroy(), 'the connection ended before the whole response'],
  [
    'large headers',
    response => void response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end(),
    'the headers of the response are too large',
  ],
  [
    'a large body',
    response => void response.writeHead(200).end(Buffer.concat(Array.from({ length: 11 }, () => megabyte))),
    'the body of the response is larger than 10 MiB',
  ],
  [
    'a small body that becomes large',
    response =>
      void response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.concat(Array.from({ length: 11 }, () => megabyte)))),
    'the body of the response is larger than 10 MiB',
  ],
  [
    'a body that is no gzip',
    response => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('garbage'),
    'the body of the response is no valid gzip',
  ],
]

describe('a receiver that answers with', { timeout: 180_000 }, () => {
  it.each(answers)('%s gets its batch again, and no other host gets the batch', async (what, answer, error) => {
    const name = what.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    receiver.answer = answer
    const id = await served.create({
      name,
      sources: [logs],
      filter: `{service_name="${name}"}`,
      destination: { webhook: { url: urlOf(`/${name}`), secret: 'correct-horse-battery' } },
    })
    await served.push(name, 'one')
    await expect.poll(async () => (await served.get(id)).last_error, { timeout: waitMs }).toBe(error)
    expect(await served.get(id)).toMatchObject({
      state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE',
      exported_entries: 0,
    })
    receiver.answer = answersWell
    served.passFlush()
    expect(await served.exported(id, 1)).toMatchObject({ last_error: '' })
    expect(receiver.arrivals.map(({ path }) => path)).not.toContain('/elsewhere')
  })
})

it('a receiver that never answers does not delay the sinks of other workspaces', { timeout: 180_000 }, async () => {
  const { plane, path } = served
  const held: ServerResponse[] = []
  receiver.answer = (response, arrival) => {
    if (arrival.path === '/never') held.push(response)
    else answersWell(response, arrival)
  }
  const ids: string[] = []
  for (let i = 0; i < 6; i += 1) {
    const destination = { webhook: { url: urlOf('/never') } }
    ids.push(await served.create({ name: `never-${i}`, sources: [logs], destination }))
  }
  await served.push('never', 'one')
  // Sinks of one workspace send four batches at a time.
  await expect.poll(() => held.length, { timeout: waitMs }).toBeGreaterThanOrEqual(4)
  const { workspace } = await addTenant(plane.api, 'other')
  const at = { ...path, workspace }
  const destination = { webhook: { url: urlOf('/other') } }
  const { observability } = plane.api
  const { resource_id: id } = await observability.createLogSink({
    ...at,
    body: { name: 'other', sources: ['OBSERVABILITY_SINK_SOURCE_ACTIVITIES'], destination },
  })
  // The creation of the sink is an activity of the workspace.
  const exported = async () => (await observability.getLogSink({ ...at, id })).exported_entries
  await expect.poll(exported, { timeout: waitMs }).toBeGreaterThan(0)
  for (const never of ids) await observability.deleteLogSink({ ...path, id: never })
  for (const response of held) response.socket?.destroy()
})

describe('a receiver of OTLP', { timeout: 180_000 }, () => {
  const rejecting = (partialSuccess: object): LineReceiver['answer'] => {
    const body = JSON.stringify({ partialSuccess })
    return response => void response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }

  it.each<[string, object, number]>([
    ['some records', { rejectedLogRecords: '1', errorMessage: 'a secret' }, 1],
    ['more records than it got', { rejectedLogRecords: 99 }, 2],
    ['a negative number of records', { rejectedLogRecords: '-3' }, 0],
    ['no records, with a warning', { errorMessage: 'a secret' }, 0],
    ['nothing that is a number', { rejectedLogRecords: {} }, 0],
  ])('that rejects %s gets none of them again', async (what, partial, rejected) => {
    const name = what.replaceAll(/[^a-z]+/g, '-')
    receiver.answer = rejecting(partial)
    const id = await served.create({
      name,
      sources: [logs],
      filter: `{service_name="${name}"}`,
      destination: { otlp: { url: urlOf(`/${name}`) } },
    })
    await served.push(name, 'one', 'two')
    await expect
      .poll(() => served.get(id), { timeout: waitMs })
      .toMatchObject({
        state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE',
        exported_entries: 2 - rejected,
        last_error: rejected === 0 ? '' : `the receiver rejected ${rejected} of 2 entries`,
      })
    receiver.answer = answersWell
    await served.push(name, 'three')
    expect(await served.exported(id, 3 - rejected)).toMatchObject({ last_error: '' })
    expect(receiver.arrivals.filter(({ path }) => path === `/${name}`)).toHaveLength(2)
  })
})
