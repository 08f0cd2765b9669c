import type { Chunks } from '../../../runtime/media.ts'
import type { DigestAlgorithm } from '../values/digest.ts'

/** A blob that is open for reading. Its bytes stay readable, even if the blob is deleted, until it is closed. */
export interface OpenBlob {
  /**
   * Returns the bytes from `first` to `last`, both included, at the pace of their reader. The end of the stream, its
   * cancellation and its failure close the blob. Call `stream` once.
   */
  stream(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

/** The bytes that follow those of an upload. */
export interface Appending {
  /** The position that the first byte must have; absent: the next one. */
  readonly first?: number | undefined
  /** Whether earlier calls have received bytes; then an upload without a byte has been ended by another call. */
  readonly isBegun?: boolean
  /** The algorithm of the digest that is expected at the end. */
  readonly algorithm: DigestAlgorithm
  /** The largest number of bytes of the whole upload. */
  readonly maxBytes: number
  /** Makes the error of an upload with more than `maxBytes` bytes, which ends the reading of the body. */
  readonly tooLong: () => Error
}

/** The result of appending; `isMisplaced` if the first byte had another position, and then nothing was appended. */
export interface Appended {
  /** The number of received bytes of the upload. */
  readonly size: number
  readonly isMisplaced: boolean
}

/**
 * The bytes of blobs and of uploads. All functions throw ENGINE_UNAVAILABLE if the place of the bytes cannot be used, or
 * if another server has the bytes. Uploads are named by ids. Calls for one upload run one after the other on a server.
 */
export interface BlobStore {
  /**
   * Appends a body to an upload, in bounded memory. If the body fails, the bytes before are kept and the error of the
   * body is thrown. Throws `UploadChanged` for an upload that another call has ended, and OBJECT_TOO_LARGE, as `keep`
   * does, if the place takes no file of that size.
   */
  append(upload: string, body: Chunks, appending: Appending): Promise<Appended>
  /** Returns the number of received bytes of an upload; 0 for an unknown upload. */
  sizeOf(upload: string): Promise<number>
  /** Returns the digest in hex and the size of an upload, whose bytes then survive a loss of power. */
  seal(upload: string, algorithm: DigestAlgorithm): Promise<{ readonly hex: string; readonly size: number }>
  /**
   * Makes a sealed upload of `size` bytes the file of a blob. Once `keep` returns, the file survives a loss of power.
   * Throws `UploadChanged`, and keeps nothing, if another call has changed or ended the upload since it was sealed.
   */
  keep(upload: string, file: string, size: number): Promise<void>
  /** Deletes the bytes of an upload, if there are any. */
  discard(upload: string): Promise<void>
  /** Opens the file of a blob with `size` bytes; undefined if there is no such file. */
  open(file: string, size: number): Promise<OpenBlob | undefined>
  /** Deletes the file of a blob, if there is one. */
  remove(file: string): Promise<void>
  /** Iterates over the uploads and the files of blobs that were last changed before a time in milliseconds since 1970. */
  olderThan(timeMs: number): AsyncIterable<StoredBytes>
}

/** Another call has changed or ended an upload. */
export class UploadChanged extends Error {
  override readonly name = 'UploadChanged'
}

/** The bytes of an upload, or the file of a blob. */
export type StoredBytes = { readonly upload: string } | { readonly file: string }
