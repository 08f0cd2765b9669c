import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transporter } from 'nodemailer'
import type { Mail, Mailer } from '../../domain/ports/mailer.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Log } from '../log.ts'
import { writePrivately } from './private-file.ts'
import { defaultSender } from '../account-settings.ts'

/** The mail server and the sender. */
export interface MailerOptions {
  readonly dataDir: string
  /** A URL such as `smtps://user:password@host:465`; absent: mails stay in the outbox. */
  readonly smtpUrl?: string | undefined
  /** The sender's address, with or without a name. */
  readonly from?: string | undefined
  readonly log: Log
  readonly now: () => number
  /** The time limit in milliseconds for the acceptance of a mail. */
  readonly limitMs?: number
}

/** The default time limit for the acceptance of a mail, in milliseconds. */
const defaultLimitMs = 10_000

/**
 * Returns the mailer: by SMTP if `smtpUrl` is given, otherwise into `<dataDir>/outbox`, where an operator finds the
 * mails.
 */
export async function openMailer(options: MailerOptions): Promise<Mailer> {
  const { smtpUrl } = options
  return smtpUrl === undefined ? new Outbox(options) : new SmtpMailer(await transporterOf(smtpUrl, options), options)
}

/**
 * Returns the transporter of a URL. Its options forbid the library to read files or fetch pages, whatever a mail
 * contains.
 */
async function transporterOf(url: string, { limitMs = defaultLimitMs }: MailerOptions): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    disableFileAccess: true,
    disableUrlAccess: true,
    dnsTimeout: limitMs,
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
  })
}

class SmtpMailer implements Mailer {
  readonly isConfigured = true
  readonly #transporter: Transporter
  readonly #options: MailerOptions

  constructor(transporter: Transporter, options: MailerOptions) {
    this.#transporter = transporter
    this.#options = options
  }

  async send({ subject, text, to }: Mail): Promise<void> {
    const { from = defaultSender, limitMs = defaultLimitMs, log } = this.#options
    // An address in an object is used unchanged; the commas of an address in a text would split the text.
    const mail = { from, to: addressesOf(to).map(address => ({ name: '', address })), subject, text }
    try {
      await within(limitMs, this.#transporter.sendMail(mail))
    } catch (error) {
      log.warn({ smtp: shown(error) }, 'a mail was not taken')
      throw error
    }
  }
}

const addressesOf = (to: Mail['to']): readonly string[] => (typeof to === 'string' ? [to] : to)

/** Rejects if `sending` has not ended in time; its later result is ignored. */
async function within(limitMs: number, sending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the mail was not taken within ${limitMs} ms`)), limitMs)
  })
  try {
    await Promise.race([sending, late])
  } finally {
    clearTimeout(timer)
    sending.catch(() => undefined)
  }
}

/**
 * Returns the fields of a mail server's error for the log. Only codes are logged, because the text of the error may
 * hold addresses or the mail itself.
 */
function shown(error: unknown): object {
  if (!(error instanceof Error)) return {}
  const member = (name: string): unknown => (name in error ? Reflect.get(error, name) : undefined)
  return { code: member('code') ?? 'LATE', command: member('command'), response_code: member('responseCode') }
}

class Outbox implements Mailer {
  readonly isConfigured = false
  readonly #options: MailerOptions

  constructor(options: MailerOptions) {
    this.#options = options
  }

  /**
   * Writes a mail to a file. The file is complete or absent, and readable by its owner only, because the mail holds a
   * token.
   */
  async send(mail: Mail): Promise<void> {
    const { dataDir, from = defaultSender, log, now } = this.#options
    const folder = join(dataDir, 'outbox')
    const [time, id] = [now(), randomUUID()]
    const file = join(folder, `${formatMillis(time).replaceAll(':', '-')}-${id}.eml`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writePrivately(file, messageOf(mail, { from, id, time }))
    } catch (err) {
      log.warn({ err }, 'a mail could not be written to the outbox')
      throw err
    }
    log.info({ file }, 'a mail lies in the outbox: there is no mail.smtp_url')
  }
}

interface Envelope {
  readonly from: string
  readonly id: string
  readonly time: number
}

/**
 * Returns a mail in the form of RFC 5322, with the body in base64 so that no line is too long. Addresses have no
 * control characters, by their schema.
 */
function messageOf({ subject, text, to }: Mail, { from, id, time }: Envelope): string {
  const body = Buffer.from(text, 'utf8').toString('base64')
  return [
    `Date: ${new Date(time).toUTCString().replace('GMT', '+0000')}`,
    `From: ${from}`,
    `To: ${addressesOf(to)
      .map(address => `<${address}>`)
      .join(', ')}`,
    `Subject: ${subject}`,
    `Message-ID: <${id}@ninefold>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(body.match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n')
}
