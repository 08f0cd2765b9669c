/** Returns the id of the secret whose payload is sent to the targets; undefined without one. */
export const secretOf = ({
  prometheus_scrape: scrape,
}: {
  readonly prometheus_scrape?: { readonly authorization_secret_id?: string }
}): string | undefined => scrape?.authorization_secret_id
