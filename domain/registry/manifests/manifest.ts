import type { ManifestType } from './media-types.ts'

/** The platform of a manifest in an index, and of an image. */
export interface Platform {
  readonly os: string
  readonly architecture: string
  readonly variant: string
  readonly os_version: string
}

/** A reference to content by its digest. */
export interface Descriptor {
  readonly media_type: string
  readonly digest: string
  readonly size: number
  readonly platform?: Platform
}

/** What a manifest is. */
export type ManifestKind = 'IMAGE' | 'INDEX' | 'ARTIFACT'

/** A manifest whose form is checked. */
export interface Manifest {
  readonly mediaType: ManifestType
  readonly kind: ManifestKind
  /** The member `artifactType`; empty if there is none. */
  readonly artifactType: string
  /** Absent for an index. */
  readonly config?: Descriptor
  /** The layers, the lowest first; empty for an index. */
  readonly layers: readonly Descriptor[]
  /** The manifests that an index lists. */
  readonly children: readonly Descriptor[]
  /** The manifest that this manifest is about. */
  readonly subject?: Descriptor
  readonly annotations: Readonly<Record<string, string>>
}
