import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { WebhookBody } from '../../../../../domain/observability/notifications/webhook-body.ts'
import { hasProgram } from '../../../../server/programs.ts'
import { alertmanagerProgram, startAlertmanager } from '../../silences/alertmanager.ts'
import { AlertWorld, downRule, eventually, serveAlerts, settlesAt } from '../served-alerts.ts'

/** Starts a receiver of webhooks; returns its address and the list of bodies that it gets. */
async function startReceiver() {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString('utf8'))
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { bodies, url: `http://127.0.0.1:${port}/` }
}

/** Returns a body with its alerts in a fixed order, without the address of its sender. */
function compared(body: WebhookBody) {
  const { externalURL: _sender, ...rest } = body
  return { ...rest, alerts: body.alerts.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)) }
}

const members = (text: string): readonly string[] => [...text.matchAll(/"(\w+)":/g)].map(([, name = '']) => name)

it.skipIf(!hasProgram(alertmanagerProgram))(
  'a webhook equals the webhook of Alertmanager for the same alerts, field for field',
  async () => {
    const receiver = await startReceiver()
    const configuration = `
route:
  receiver: hook
  group_by: [alertname, alert_rule_id]
  group_wait: 1s
  group_interval: 1s
receivers:
  - name: hook
    webhook_configs:
      - url: ${receiver.url}
        send_resolved: true
`
    const alertmanager = await startAlertmanager(onTestFinished, configuration)
    const world = new AlertWorld()
    // Alertmanager calls an alert with a start in the future active, and sets the end of an alert to the present.
    world.time.now = Math.floor((Date.now() - 600_000) / 60_000) * 60_000
    const served = await serveAlerts(world, onTestFinished)
    const up = (instance: string) => ({ __name__: 'up', instance, path: '/a "b" \\ <ü>&' })
    world.set(up('one'), 0)
    world.set(up('two'), 0)
    const id = await served.create({
      ...downRule,
      for: '0s',
      alert_labels: { team: 'a' },
      annotations: { summary: '{{ $labels.instance }} is {{ $value }}', runbook: 'https://a.example/?q=<1>&r=2' },
    })
    await served.next(id)
    await settlesAt(world.received, 1)
    const told = async (ours: WebhookBody, text: string): Promise<void> => {
      await alertmanager.send(
        ours.alerts.map(({ annotations, endsAt, generatorURL, labels, startsAt, status }) => ({
          annotations,
          labels,
          startsAt,
          generatorURL,
          ...(status === 'resolved' && { endsAt }),
        })),
      )
      // Alertmanager may notify an alert of a request alone, and notify it together with the others a second later.
      await eventually(() => {
        const theirs = receiver.bodies.at(-1) ?? '{"alerts":[]}'
        expect(compared(ours)).toEqual(compared(JSON.parse(theirs)))
        expect(members(text)).toEqual(members(theirs))
      })
    }
    const [firing] = world.received
    if (!firing) throw new Error('no notification has arrived')
    await told(firing.body, firing.text)
    world.time.now += 10_000
    world.set(up('one'), 1)
    world.set(up('two'), 1)
    for (let tick = 0; tick < 4; tick += 1) await served.next(id)
    await settlesAt(world.received, 2)
    const ended = world.received[1]
    if (!ended) throw new Error('no second notification has arrived')
    await told(ended.body, ended.text)
  },
  180_000,
)
