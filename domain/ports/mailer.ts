/** A mail of plain text to an address, or to several addresses in one delivery. */
export interface Mail {
  readonly to: string | readonly string[]
  readonly subject: string
  readonly text: string
}

/** Sends mail by SMTP if it is configured; otherwise writes a file to the outbox of the data folder. */
export interface Mailer {
  /** Whether mails reach their recipients; otherwise they stay in the outbox. */
  readonly isConfigured: boolean
  /** Sends a mail. Rejects if the mail was refused, or was not accepted within 10 s. */
  send(mail: Mail): Promise<void>
}
