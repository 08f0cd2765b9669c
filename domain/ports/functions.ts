import type { Iam } from './iam.ts'
import type { Taxonomy } from './taxonomy.ts'
import type { Topology } from './topology.ts'

/** The functions that areas have for each other, by the area that owns them (conventions §14). */
export interface AreaFunctions {
  readonly iam: Iam
  readonly taxonomy: Taxonomy
  readonly topology: Topology
}

/** The name of an area that has functions for others. */
export type Owner = keyof AreaFunctions

/**
 * The functions that an area has declared it needs. Those that it requires are there once the server is up; an optional
 * one is undefined where its owner is not mounted. Both are looked up when they are used: while areas are mounted,
 * nothing may be called.
 */
export type Functions<Required extends Owner = never, Optional extends Owner = never> = {
  readonly [Name in Required]: AreaFunctions[Name]
} & { readonly [Name in Optional]: AreaFunctions[Name] | undefined }
