import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ObservabilityClient } from '../../../../../output/observability/client.ts'
import { createTransport } from '../../../../../runtime/transport.ts'
import type { Make } from '../../../../areas/kill/run-load.ts'
import { AreaActor } from '../mutations/area-actor.ts'

it('each repetition of a call of the load is the same call', async () => {
  const sent: string[] = []
  let made = 0
  const client = new ObservabilityClient(
    createTransport({
      baseUrl: 'http://server.example',
      async fetch(target, { body, method } = {}) {
        sent.push(`${method} ${String(target)} ${body}`)
        return Response.json({ id: 'operation', resource_id: 'resource' })
      },
    }),
  )
  const make: Make = async (_intent, run) => {
    const operation = await run({})
    // The clock goes on between a call and its repetition.
    await sleep(2)
    await run({})
    const [first, again] = sent.splice(0)
    expect(again).toBe(first)
    made += 1
    return operation
  }
  const actor = new AreaActor({ client, make, name: 'actor', workspace: 'workspace' })
  for (let i = 0; i < 200; i += 1) await actor.step()
  expect(made).toBeGreaterThanOrEqual(200)
})
