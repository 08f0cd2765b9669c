/** How mails leave. */
export interface MailSettings {
  /** May hold a password. Absent: mails stay in the outbox. */
  readonly smtpUrl?: string | undefined
  /** From whom mails come: an address, with a name or without. */
  readonly from?: string | undefined
}

/** Who administers a platform that nobody has administered before (iam.md 4.9). */
export interface BootstrapSettings {
  /** The address of the first administrator; empty: there is to be none. Absent: `defaultAdministrator`. */
  readonly adminEmail?: string | undefined
  /** A file whose first line is the password, so that the first administrator need not be activated. */
  readonly adminPasswordFile?: string | undefined
}

/** The address of the first administrator where none is set (conventions §19). */
export const defaultAdministrator = 'admin@localhost'

/** What is wrong with the URL of a mail server. Says nothing of the value, which may hold a password. */
export function smtpUrlFault(value: string): string | undefined {
  const isUsable = /^smtps?:\/\//.test(value) && URL.canParse(value) && new URL(value).hostname !== ''
  return isUsable ? undefined : 'must be the URL of a mail server, smtps://user:password@host:465'
}

/** What is wrong with who mails come from. */
export function senderFault(value: string): string | undefined {
  const isUsable = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>@\p{Cc}]+ <[^\s<>@]+@[^\s<>@]+>)$/u.test(value)
  return isUsable ? undefined : 'must be an address, such as "Ninefold <cloud@example.com>"'
}

/** What is wrong with an address that may be left empty. */
export function optionalAddressFault(value: string): string | undefined {
  const isUsable = value === '' || (value.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(value))
  return isUsable ? undefined : 'must be an address, or empty'
}
