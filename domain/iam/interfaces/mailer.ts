/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail by SMTP when that is set, else leaves it as a file in the outbox of the data folder. */
export interface Mailer {
  /** Mails reach people; else they lie in the outbox. */
  readonly isConfigured: boolean
  /** Rejects when the mail was refused, or was not taken within 10 s. */
  send(mail: Mail): Promise<void>
}
