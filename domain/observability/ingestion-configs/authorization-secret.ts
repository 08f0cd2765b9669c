/** The engine of the vault in which the secrets of targets lie. */
const vaultEngine = 'native'

/** Returns the id of the secret whose payload is sent to the targets; undefined without one. */
export const secretOf = ({
  prometheus_scrape: scrape,
}: {
  readonly prometheus_scrape?: { readonly authorization_secret_id?: string }
}): string | undefined => scrape?.authorization_secret_id

/** Returns the place of the secret of a config in the vault. */
export const secretPlace = (secret_id: string, workspace: string) => ({ workspace, engine: vaultEngine, secret_id })
