/** The purpose for which the vault encrypts the secrets of webhooks. */
export const secretPurpose = 'observability.webhookSecret'
