import { nativeEngine } from '../engines.ts'
import { ConfigError } from '../settings/faults.ts'

/** Throws a `ConfigError` if the default engine is neither the native engine nor one of the others. */
export function requireKnownEngine(name: string, others: readonly { readonly name: string }[]): void {
  if (name === nativeEngine || others.some(other => other.name === name)) return
  throw new ConfigError([`observability.default_engine: no engine of observability.engines is called ${name}`])
}
