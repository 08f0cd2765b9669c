/** The settings for mail. */
export interface MailSettings {
  /** The URL of the mail server, which may hold a password. Absent: mails stay in the outbox. */
  readonly smtpUrl?: string | undefined
  /** The sender: an address, with or without a name. */
  readonly from?: string | undefined
}

/** The first administrator of a platform (iam.md 4.9). */
export interface BootstrapSettings {
  /** The address of the first administrator; empty for none. Absent: `defaultAdministrator`. */
  readonly adminEmail?: string | undefined
  /** A file whose first line is the password, so that the first administrator is active at once. */
  readonly adminPasswordFile?: string | undefined
}

/** The default sender of mails. */
export const defaultSender = 'Ninefold <ninefold@localhost>'

/** The default address of the first administrator (conventions §19). */
export const defaultAdministrator = 'admin@localhost'
