import type { LogDestination } from '../../../output/observability/types.ts'

/** The members of a destination, of which each sink has one. */
export const destinationKinds = ['bucket', 'webhook', 'otlp'] as const

/** Returns the id of the bucket of a destination; undefined for another destination. */
export const bucketOf = ({ bucket }: { readonly bucket?: { readonly bucket_id?: string } }): string | undefined =>
  bucket?.bucket_id

/** Returns the id of the secret with the headers of a destination; undefined without one. */
export const headersSecretOf = ({
  otlp,
}: {
  readonly otlp?: { readonly headers_secret_id?: string }
}): string | undefined => otlp?.headers_secret_id

/** Returns a destination without the secret of its webhook. */
export const withoutSecret = ({ webhook, ...rest }: LogDestination): LogDestination => ({
  ...rest,
  ...(webhook && { webhook: { url: webhook.url } }),
})
