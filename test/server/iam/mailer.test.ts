import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMailer, type MailerOptions } from '../../../server/iam/mailer.ts'
import { testFolder } from '../store/harness.ts'
import { smtpServer } from './smtp-server.ts'

const mail = {
  to: 'kim@acme.example',
  subject: 'Your invitation to Ninefold',
  text: `Hello,\n\nhttps://console.test/credential#ct1.secret\n\n${'é'.repeat(100)}`,
}

/** Returns options for a mailer; `lines` collects the lines of its log. */
function optionsOf(more: Partial<MailerOptions> = {}): MailerOptions & { readonly lines: string[] } {
  const lines: string[] = []
  const line = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: line, info: line, warn: line, error: line }
  return { dataDir: testFolder(), log, now: () => Date.parse('2026-03-01T12:00:00Z'), lines, ...more }
}

const bodyOf = (message: string): string => {
  const [, body = ''] = message.split('\r\n\r\n')
  return Buffer.from(body, 'base64').toString('utf8')
}

describe('without a mail server', () => {
  it('a mail is stored in the outbox, complete and readable only for its owner', async () => {
    const options = optionsOf()
    const mailer = await openMailer(options)
    expect(mailer.isConfigured).toBe(false)
    await mailer.send(mail)
    const folder = join(options.dataDir, 'outbox')
    const [file = '', ...more] = readdirSync(folder)
    expect(more).toEqual([])
    expect(file).toMatch(/^2026-03-01T12-00-00\.000Z-[0-9a-f-]{36}\.eml$/)
    if (process.platform !== 'win32') {
      expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([0o700, 0o600])
    }
    const message = readFileSync(join(folder, file), 'utf8')
    expect(message.split('\r\n').slice(0, 4)).toEqual([
      'Date: Sun, 01 Mar 2026 12:00:00 +0000',
      'From: Ninefold <ninefold@localhost>',
      'To: <kim@acme.example>',
      'Subject: Your invitation to Ninefold',
    ])
    expect(bodyOf(message)).toBe(mail.text)
    expect(Math.max(...message.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(78)
    expect(options.lines.join()).toContain(file)
    expect(options.lines.join()).not.toContain('ct1.secret')
  })

  it('a mail that cannot be written is refused, and leaves no file', async () => {
    const options = optionsOf()
    writeFileSync(join(options.dataDir, 'outbox'), 'a file')
    await expect((await openMailer(options)).send(mail)).rejects.toThrow()
    expect(options.lines).toHaveLength(1)
  })

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'a closed outbox gets no incomplete mail',
    async () => {
      const options = optionsOf()
      const folder = join(options.dataDir, 'outbox')
      mkdirSync(folder)
      chmodSync(folder, 0o500)
      await expect((await openMailer(options)).send(mail)).rejects.toThrow('EACCES')
      expect(readdirSync(folder)).toEqual([])
    },
  )
})

describe('with a mail server', () => {
  it('a mail is sent to one address, from the configured sender', async () => {
    const { commands, messages, url } = await smtpServer()
    const options = optionsOf({ smtpUrl: url, from: 'Acme Cloud <cloud@acme.example>' })
    const mailer = await openMailer(options)
    expect(mailer.isConfigured).toBe(true)
    await mailer.send({ ...mail, to: 'eve,kim@acme.example' })
    expect(commands.filter(command => /^(?:MAIL|RCPT)/.test(command))).toEqual([
      'MAIL FROM:<cloud@acme.example>',
      expect.stringContaining('RCPT TO:<'),
    ])
    expect(commands.join('\n')).toContain('eve,kim')
    expect(messages[0]).toContain('Subject: Your invitation to Ninefold')
    expect(existsSync(join(options.dataDir, 'outbox'))).toBe(false)
  })

  it.each(['MAIL', 'RCPT', '.'])(
    'a mail that the server refuses at %s is refused, and no address is logged',
    async refuse => {
      const { url } = await smtpServer({ refuse })
      const options = optionsOf({ smtpUrl: url })
      await expect((await openMailer(options)).send(mail)).rejects.toThrow('550')
      expect(options.lines).toHaveLength(1)
      expect(options.lines.join()).not.toMatch(/acme|secret/)
    },
  )

  it.each(['EHLO', 'RCPT', '.'])('a mail without a response at %s times out', async mute => {
    const { url } = await smtpServer({ mute })
    const options = optionsOf({ smtpUrl: url, limitMs: 200 })
    await expect((await openMailer(options)).send(mail)).rejects.toThrow()
    expect(options.lines).toHaveLength(1)
  })

  it('a mail is refused while the server is unreachable', async () => {
    const options = optionsOf({ smtpUrl: 'smtp://127.0.0.1:1' })
    await expect((await openMailer(options)).send(mail)).rejects.toThrow('ECONNREFUSED')
    expect(options.lines.join()).toContain('"code":"E')
  })
})
