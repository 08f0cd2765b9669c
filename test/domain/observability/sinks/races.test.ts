import { beforeAll, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../../areas/race.ts'
import { afterTests } from '../../../undo.ts'
import { raceLimit, soon } from '../races/raced-alerts.ts'
import { batchesAt, linesOf, type LineReceiver } from './line-receiver.ts'
import { servedSinks, type ServedSinks } from './served-sinks.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'

/** The largest delay of a deletion in milliseconds: a change of a sink has more to check before its transaction. */
const latestMs = 15

/** The number of laps of races with exports; each takes half a second or more, and has several races. */
const laps = Math.ceil(raceRounds / 4)

let served: ServedSinks
let receiver: LineReceiver

beforeAll(async () => {
  served = await servedSinks(afterTests)
  receiver = served.receiver
}, 120_000)

const urlOf = (path: string) => `${receiver.url}${path}`
const webhook = (path: string) => ({ webhook: { url: urlOf(path) } })

/** Deletes the sink of a name, if there is one. */
async function deleteNamed(name: string): Promise<void> {
  const { plane, path } = served
  const { log_sinks } = await plane.api.observability.listLogSinks({ ...path, filter: `name = "${name}"` })
  for (const { id } of log_sinks) await plane.api.observability.deleteLogSink({ ...path, id })
}

/** Runs rounds, and expects that each outcome is one of `allowed`. */
async function expectOutcomes(
  what: string,
  allowed: readonly string[],
  prepare: (round: number) => Promise<Racers>,
  after?: (outcome: string, round: number) => Promise<void>,
): Promise<void> {
  const outcomes = await race(raceRounds, prepare, after)
  console.log(`${what}: ${toldOutcomes(outcomes)}`)
  expect([...outcomes.keys()].filter(outcome => !allowed.includes(outcome))).toEqual([])
}

it('a bucket is deleted, or a sink into the bucket is created', raceLimit, async () => {
  const { plane, path } = served
  await expectOutcomes(
    'a creation and the deletion of the bucket',
    ['OK, BUCKET_IN_USE', 'DESTINATION_NOT_FOUND, OK'],
    async round => {
      const { resource_id: bucket_id } = await plane.api.storage.createBucket({
        ...path,
        body: { name: `raced-${round}` },
      })
      return [
        () => served.create({ name: 'into', sources: [logs], destination: { bucket: { bucket_id } } }),
        () => soon(() => plane.api.storage.deleteBucket({ ...path, id: bucket_id }), latestMs),
      ]
    },
    () => deleteNamed('into'),
  )
})

it('a secret is deleted, or a sink gets its headers from the secret', raceLimit, async () => {
  const { plane, path } = served
  const { vault } = plane.api
  const id = await served.create({ name: 'headers', sources: [logs], destination: webhook('/headers') })
  await expectOutcomes(
    'an update and the deletion of the secret',
    ['OK, SECRET_IN_USE', 'FIELD_INVALID, OK'],
    async round => {
      const { resource_id: secret } = await vault.createSecret({ ...path, body: { name: `raced-${round}` } })
      const otlp = { url: urlOf('/headers'), headers_secret_id: secret }
      return [
        () => served.update(id, { destination: { otlp } }, 'destination'),
        () => soon(() => vault.deleteSecret({ ...path, id: secret }), latestMs),
      ]
    },
    async () => void (await served.update(id, { destination: webhook('/headers') }, 'destination')),
  )
  await deleteNamed('headers')
})

it('one of two creations of a name, two updates of a version and two deletions succeeds', raceLimit, async () => {
  const { plane, path } = served
  const body = { name: 'twice', sources: [logs], destination: webhook('/twice') } as const
  const create = () => served.create({ ...body, sources: [logs] })
  await expectOutcomes('creations', ['OK, LOG_SINK_ALREADY_EXISTS', 'LOG_SINK_ALREADY_EXISTS, OK'], async () => {
    await deleteNamed('twice')
    return [create, create]
  })
  await deleteNamed('twice')
  const id = await create()
  await expectOutcomes('updates', ['OK, ETAG_MISMATCH', 'ETAG_MISMATCH, OK'], async round => {
    const { etag = '' } = await served.get(id)
    const update = (name: string) => () => served.update(id, { etag, display_name: `${name} ${round}` }, 'display_name')
    return [update('one'), update('other')]
  })
  await expectOutcomes('deletions', ['OK, LOG_SINK_NOT_FOUND', 'LOG_SINK_NOT_FOUND, OK'], async () => {
    await deleteNamed('twice')
    const found = await create()
    const remove = () => plane.api.observability.deleteLogSink({ ...path, id: found })
    return [remove, remove]
  })
})

it('a sink that is paused and changed while it exports sends each entry once', raceLimit, async () => {
  for (let round = 0; round < laps; round += 1) {
    const name = `changed-${round}`
    const id = await served.create({
      name,
      sources: [logs],
      filter: `{service_name="${name}"}`,
      destination: webhook(`/${name}`),
    })
    const lines = Array.from({ length: 6 }, (_, i) => `${name} ${i}`)
    const destinations = [webhook(`/${name}`), { otlp: { url: urlOf(`/otlp/${name}`) } }, webhook(`/${name}`)]
    await Promise.all([
      ...lines.map(line => soon(() => served.push(name, line), 500)),
      soon(() => served.update(id, { enabled: false }, 'enabled'), 500),
      ...destinations.map(destination => soon(() => served.update(id, { destination }, 'destination'), 500)),
    ])
    await served.update(id, { enabled: true }, 'enabled')
    await served.exported(id, lines.length)
    const batches = [`/${name}`, `/otlp/${name}`].map(path => batchesAt(receiver, path))
    const sent = batches.flatMap(found => [...found.values()].flatMap(texts => [...texts].flatMap(linesOf)))
    expect(sent.toSorted()).toEqual(lines)
    await deleteNamed(name)
  }
})

it('a sink that is deleted while it exports sends no entry twice, and leaves nothing', raceLimit, async () => {
  const { plane, path } = served
  for (let round = 0; round < laps; round += 1) {
    const name = `deleted-${round}`
    const id = await served.create({
      name,
      sources: [logs],
      filter: `{service_name="${name}"}`,
      destination: webhook(`/${name}`),
    })
    const lines = Array.from({ length: 4 }, (_, i) => `${name} ${i}`)
    await Promise.all([
      ...lines.map(line => soon(() => served.push(name, line))),
      soon(() => plane.api.observability.deleteLogSink({ ...path, id }), 500),
    ])
    const sent = [...batchesAt(receiver, `/${name}`).values()].flatMap(texts => [...texts].flatMap(linesOf))
    expect(new Set(sent).size).toBe(sent.length)
    expect(lines).toEqual(expect.arrayContaining(sent))
  }
  expect(await doctorFindings(plane.place)).toEqual([])
})
