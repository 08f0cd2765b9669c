import type { Reader, Transaction } from './store.ts'

/** The place of an artifact. A repository of another workspace counts as absent. */
export interface ArtifactPlace {
  readonly workspace: string
  /** The id of the repository. */
  readonly repository: string
  /** A tag or a digest. */
  readonly reference: string
}

/** A layer of an artifact. */
export interface ArtifactLayerFacts {
  readonly digest: string
  /** In bytes. */
  readonly size: number
}

/** The artifact that a reference names at a time. */
export interface ResolvedArtifact {
  readonly digest: string
  /** The lowest first; empty for an index. */
  readonly layers: readonly ArtifactLayerFacts[]
}

/** The bytes of a content from `first` to `last`, both included; bytes beyond the end are left out. */
export interface BlobRange {
  readonly first: number
  readonly last: number
}

/** A blob that is open for reading. */
export interface OpenedBlob {
  /** The size of the whole blob in bytes. */
  readonly size: number
  /**
   * The bytes, at the pace of their reader, even if the blob is deleted meanwhile. The caller reads the stream to its end
   * or cancels it. The stream fails if the disk fails.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** A virtual machine that holds an artifact. */
export interface ArtifactHolder {
  readonly id: string
  readonly workspace_id: string
}

/**
 * The functions of the registry for other areas (conventions §14). The caller has checked that its principal may pull
 * (conventions §12). None of them records an operation.
 */
export interface Registry {
  /** Returns the artifact that a reference names now, also in a workspace that is not active; undefined if none. */
  resolveArtifact(reader: Reader, place: ArtifactPlace): Promise<ResolvedArtifact | undefined>
  /**
   * Opens a blob of a repository; undefined if the repository has no such blob. Never call it in a transaction. Throws
   * ENGINE_UNAVAILABLE on a server without the blob store, and if its disk fails.
   */
  readBlob(repository: string, digest: string, range?: BlobRange): Promise<OpenedBlob | undefined>
  /**
   * Locks an artifact for a machine, in the transaction of the caller, which has shared the organisation. Returns false
   * if the repository has no such artifact, or is being deleted.
   */
  lockDigest(tx: Transaction, repository: string, digest: string, holder: ArtifactHolder): Promise<boolean>
  /** Ends the locks of a machine, in the transaction of the caller. Does nothing for a machine without locks. */
  unlock(tx: Transaction, holder: string): Promise<void>
}
