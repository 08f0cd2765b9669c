import { ConfigError } from '../settings/faults.ts'

/**
 * Throws a `ConfigError` for an engine of a cluster that has the host of this registry: the host says in references and
 * tokens which of both is meant.
 */
export function requireOtherHosts(
  engines: readonly { readonly name: string; readonly host: string }[],
  host: string,
): void {
  const taken = engines.filter(engine => engine.host === host)
  if (taken.length > 0)
    throw new ConfigError(
      taken.map(
        ({ name }) => `registry.engines: the host of ${name} must differ from ${host}, the host of this registry`,
      ),
    )
}
