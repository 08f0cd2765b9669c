import type { Iam } from './iam.ts'
import type { Network } from './network.ts'
import type { Observability } from './observability.ts'
import type { Registry } from './registry.ts'
import type { Storage } from './storage.ts'
import type { Taxonomy } from './taxonomy.ts'
import type { Topology } from './topology.ts'
import type { Vault } from './vault.ts'

/** The functions that areas offer to each other, keyed by the offering area (conventions §14). */
export interface AreaFunctions {
  readonly iam: Iam
  readonly network: Network
  readonly observability: Observability
  readonly registry: Registry
  readonly storage: Storage
  readonly taxonomy: Taxonomy
  readonly topology: Topology
  readonly vault: Vault
}

/** The name of an area that has functions for other areas. */
export type FunctionOwner = keyof AreaFunctions

/**
 * The functions of the areas that an area declares as needs. Required functions are present once the server is up. An
 * optional function is undefined if its area is not mounted. Both kinds are looked up when they are used, and must not
 * be called while areas are being mounted.
 */
export type Functions<Required extends FunctionOwner = never, Optional extends FunctionOwner = never> = {
  readonly [Name in Required]: AreaFunctions[Name]
} & { readonly [Name in Optional]: AreaFunctions[Name] | undefined }
