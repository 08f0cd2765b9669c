import { engineCapabilityUnsupported } from '../../../output/shared/errors.ts'
import type { Cluster } from './cluster.ts'

/** The engine that the platform serves itself. */
export const nativeEngine = 'native'

/**
 * An engine whose content a cluster of another software stores and serves. The cluster asks callers for tokens of the
 * platform, and decides by nothing else (registry.md 6).
 */
export interface DistributionEngine {
  readonly name: string
  /** The host in image references, which is also the name of the cluster in tokens. */
  readonly host: string
  readonly cluster: Cluster
}

/** The engines of clusters, by their names. */
export type DistributionEngines = ReadonlyMap<string, DistributionEngine>

/** The hosts of all engines. */
export interface EngineHosts {
  readonly engines: DistributionEngines
  /** Returns the host of the native engine. */
  readonly host: () => string
}

/** Returns the host of an engine in image references. */
export const hostOf = ({ engines, host }: EngineHosts, engine: string): string => engines.get(engine)?.host ?? host()

/** Returns the engine that a name in tokens means; without a name, the native engine. Returns undefined for another name. */
export function engineOfService({ engines, host }: EngineHosts, service: string | undefined): string | undefined {
  if (service === undefined || service === host()) return nativeEngine
  for (const engine of engines.values()) if (engine.host === service) return engine.name
  return undefined
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED, unless the engine is native; `what` is the subject and verb of the message. */
export function requireNative(engine: string, capability: string, what: string): void {
  if (engine === nativeEngine) return
  const message = `${what} only on the engine ${nativeEngine}: the cluster of engine ${engine} serves the content`
  throw engineCapabilityUnsupported(message, { capability })
}
