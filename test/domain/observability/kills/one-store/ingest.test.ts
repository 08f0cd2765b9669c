import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { killRounds, killTimeout, serve } from '../../../../areas/kill/kill-under-load.ts'
import { restartsOf, toldRestarts } from '../../../../areas/kill/restarts.ts'
import { addTenant } from '../../../../areas/members.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import { key } from '../../ingest/served-plane.ts'
import { faultsOf } from './kept-samples.ts'
import { forms, KilledSender, sendTo } from './killed-sender.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000] as const

/** The largest number of acknowledged pushes between two kills. */
const mostPushes = 40

/** The largest delay of a kill after the last counted push, in milliseconds. */
const latestMs = 30

/** The time of the first sample: the samples of a run lie in one day, which has ended. */
const firstMs = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs + hourMs

it(
  'a server that is killed repeatedly while senders push keeps every acknowledged sample once, and no part of a push',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const { addresses, restart, servers } = await serve(place, 1)
    const { api } = (await servers[0]?.admin()) ?? expect.fail('there is no server')
    const { workspace } = await addTenant(api, 'acme')
    const config = async (name: string, kind: object): Promise<string> => {
      const body = { name, ...kind, ingest_keys: [{ name: 'sender', secret: key }] }
      return (await api.observability.createIngestionConfig({ workspace, engine: 'native', body })).resource_id
    }
    const configs = {
      '/v1/metrics': await config('otlp', { otlp: {} }),
      '/api/v1/write': await config('write', { prometheus_remote_write: {} }),
    }
    const load = { pushes: 0, isOver: false }
    const senders = [...forms, ...forms].map(
      (form, i) =>
        new KilledSender(
          {
            name: `sender-${i}`,
            firstMs,
            acknowledged: () => (load.pushes += 1),
            send: sendTo(addresses[0] ?? '', path => configs[path]),
          },
          form,
        ),
    )
    const running = Promise.all(
      senders.map(async sender => {
        while (!load.isOver) await sender.step()
      }),
    )
    const startsMs: number[] = []
    for (let round = 0; round < killRounds; round += 1) {
      const until = load.pushes + Math.ceil(Math.random() * mostPushes)
      await expect.poll(() => load.pushes, { timeout: 300_000 }).toBeGreaterThanOrEqual(until)
      await sleep(Math.random() * latestMs)
      startsMs.push(await restart(0))
    }
    load.isOver = true
    await running
    const without = senders.reduce((sum, { given }) => sum + given.size, 0)
    console.log(
      `${killRounds} kills, ${load.pushes} acknowledged pushes, ${without} without an answer; ${toldRestarts(restartsOf(startsMs))}`,
    )
    expect(senders.flatMap(({ faults }) => faults)).toEqual([])
    const last = (await servers[0]?.admin()) ?? expect.fail('there is no server')
    for (const sender of senders) expect(await faultsOf(last.api, workspace, sender)).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
