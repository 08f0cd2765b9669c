import { expect, it, onTestFinished } from 'vitest'
import { notificationMail } from '../../../../domain/observability/notifications/email.ts'
import { webhookBody, type WebhookAlert } from '../../../../domain/observability/notifications/webhook-body.ts'
import { smtpServer } from '../../../server/iam/smtp-server.ts'
import { AlertWorld, downRule, eventually, serveAlerts } from './served-alerts.ts'

it('a notification by e-mail goes to all addresses in one mail', async () => {
  const { commands, messages, url } = await smtpServer()
  const world = new AlertWorld()
  const served = await serveAlerts(world, onTestFinished, { config: { mail: { smtpUrl: url } } })
  world.set({ __name__: 'up', job: 'node' }, 0)
  const to = ['ann@acme.example', 'bob@acme.example']
  const annotations = { summary: '{{ $labels.job }} is {{ $value }}' }
  const id = await served.create({ ...downRule, for: '0s', annotations, receivers: [{ name: 'mail', email: { to } }] })
  await served.next(id)
  await eventually(() => expect(messages).toHaveLength(1))
  expect(commands.filter(command => command.startsWith('RCPT'))).toEqual(
    to.map(address => expect.stringContaining(`<${address}>`)),
  )
  expect(messages[0]).toContain('Subject: [FIRING] target-down (warning): 1 firing')
  expect(messages[0]).toContain('summary: node is 0')
  await eventually(async () =>
    expect((await served.get(id)).deliveries).toMatchObject([{ receiver: 'mail', pending: false, last_error: '' }]),
  )
})

it('a label cannot add lines to a mail, and a mail shows a hundred alerts', () => {
  const group = { rule: { id: 'r', name: 'down' }, externalUrl: 'https://a.example', ruleUrl: 'https://a.example/r' }
  const alert: WebhookAlert = {
    status: 'firing',
    labels: { job: 'a\r\nBcc: eve@example.com\u2028x' },
    annotations: {},
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: group.ruleUrl,
    fingerprint: '0',
  }
  const { subject, text } = notificationMail(
    ['ann@acme.example'],
    webhookBody(
      'mail',
      group,
      Array.from({ length: 103 }, () => alert),
    ),
  )
  expect(subject).toBe('[FIRING] down: 103 firing')
  expect(text.split('\n').filter(line => line.startsWith('Bcc') || line.startsWith('x'))).toEqual([])
  expect(text).toContain('  job: a Bcc: eve@example.com x')
  expect(text).toMatch(/3 further alerts are left out\.$/)
})
