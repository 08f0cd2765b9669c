import type { RemoteContent } from '../remote-store/remote-store.ts'

/** The input of the work that copies an object between S3 stores, or in parts within a store. */
export interface RemoteCopyOrder {
  readonly id: string
  readonly source: {
    readonly bucket: string
    readonly object: string
    /** Empty: the latest version. */
    readonly versionId: string
    /** The ETag of the version, so that parts of two versions never mix. */
    readonly etag: string
    readonly size: number
  }
  readonly target: { readonly bucket: string; readonly object: string }
  readonly content: RemoteContent
  readonly ifNoneMatch: boolean
  /** The time of the call. */
  readonly time: string
}
