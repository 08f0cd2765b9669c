import type { CredentialPurpose } from '../../../output/iam/types.ts'
import type { Mail } from '../../ports/mailer.ts'

/** The recipient and the token of a mail. */
export interface CredentialMail {
  readonly to: string
  readonly purpose: CredentialPurpose
  readonly url: string
  /** The expiry of the token in RFC 3339. */
  readonly expire_time: string
}

const texts = {
  ACTIVATION: {
    subject: 'Your invitation to Ninefold',
    lead: 'you have been invited to Ninefold. Choose your password on this page:',
    tail: 'If you do not expect an invitation, ignore this mail: nothing happens before you choose a password.',
  },
  PASSWORD_RESET: {
    subject: 'Your password of Ninefold was reset',
    lead: 'an administrator has reset your password of Ninefold. Choose a new password on this page:',
    tail: 'Until then nobody can sign in with your address.',
  },
} as const satisfies Readonly<Record<CredentialPurpose, object>>

/**
 * Returns the mail with a user's token. All text of the mail is fixed, so no caller can write to a user through this
 * mail.
 */
export function credentialMail({ expire_time, purpose, to, url }: CredentialMail): Mail {
  const { lead, subject, tail } = texts[purpose]
  const until = `The page can be used once, until ${expire_time.slice(0, 16).replace('T', ' ')} UTC.`
  return { to, subject, text: ['Hello,', lead, url, until, tail].join('\n\n') }
}
