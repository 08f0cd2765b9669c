import type { Iam } from './iam.ts'
import type { Network } from './network.ts'
import type { Taxonomy } from './taxonomy.ts'
import type { Topology } from './topology.ts'

/** The functions that areas have for each other, by the area that owns them (conventions §14). */
export interface AreaFunctions {
  readonly iam: Iam
  readonly network: Network
  readonly taxonomy: Taxonomy
  readonly topology: Topology
}

/** The name of an area that has functions for other areas. */
export type FunctionOwner = keyof AreaFunctions

/**
 * The functions that an area has declared as needs. Required functions are present once the server is up. An optional
 * function is undefined if its owner is not mounted. Both are looked up on use and must not be called while areas are
 * mounted.
 */
export type Functions<Required extends FunctionOwner = never, Optional extends FunctionOwner = never> = {
  readonly [Name in Required]: AreaFunctions[Name]
} & { readonly [Name in Optional]: AreaFunctions[Name] | undefined }
