import type { Chunks } from '../../../runtime/media.ts'
import type { ContentFile } from './contents-store.ts'

/** The checksums of a sequence of bytes. */
export interface Digests {
  /** In hex. */
  readonly md5: string
  /** In Base64. */
  readonly sha256: string
  readonly crc32c: number
}

/** A file with received bytes, which no row names yet. */
export interface ReceivedFile extends ContentFile {
  readonly digests: Digests
}

/** How durable a file is when a call returns: FULL includes the metadata of the file, such as its times. */
export type SyncMode = 'FULL' | 'DATA'

/** The place and the limits of bytes that are received. */
export interface Receiving {
  readonly instance: string
  readonly syncMode: SyncMode
  readonly maxBytes: number
  /** Makes the error of a body with more than `maxBytes` bytes, which ends the reading of the body. */
  readonly tooLong: () => Error
}

/**
 * What prevents the work on a file: no space is left; a file is absent or not as its row says; the host has no descriptor
 * or memory left; or the disk fails.
 */
export type ContentFaultKind = 'full' | 'lost' | 'busy' | 'failed'

/** The work on a file of an instance failed. */
export class ContentFault extends Error {
  override readonly name = 'ContentFault'
  readonly kind: ContentFaultKind
  readonly instance: string

  constructor(kind: ContentFaultKind, instance: string, cause: unknown) {
    super(`the files of storage class instance ${instance} cannot be used (${kind})`, { cause })
    this.kind = kind
    this.instance = instance
  }
}

/** A content that is open for reading. Its bytes stay readable, even if the content is deleted, until it is closed. */
export interface OpenContent {
  /**
   * Checks that the files with the bytes from `first` to `last`, both included, are as their rows say, before a caller
   * is told that the bytes follow. Throws `ContentFault`.
   */
  verify(first: number, last: number): Promise<void>
  /**
   * Returns the bytes from `first` to `last`, both included, at the pace of their reader. The end of the stream, its
   * cancellation and its failure close the content. Call `stream` once.
   */
  stream(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

/**
 * The files of the instances on this server. All paths lie below the folder of an instance, and are made of ids alone.
 * All functions throw `ContentFault`.
 */
export interface ContentFiles {
  /**
   * Writes a body to a file below `tmp/`, in bounded memory, and computes its digests on the way. Once the result is
   * returned, the bytes survive a loss of power. If the body fails or is too long, the file is deleted.
   */
  receive(body: Chunks, receiving: Receiving): Promise<ReceivedFile>
  /** Moves a file to another path. Once `move` returns, the new name survives a loss of power. */
  move(instance: string, from: string, to: string): Promise<void>
  /**
   * Opens a content of an instance, whose bytes are those of the files one after the other. A content whose files are
   * being deleted is lost.
   */
  open(instance: string, files: readonly ContentFile[]): Promise<OpenContent>
  /**
   * Deletes files; an absent file counts as deleted. Returns false if a reader still needs a file, which is then kept
   * for a later call, and if another call is deleting a file.
   */
  remove(instance: string, paths: readonly string[]): Promise<boolean>
  /**
   * Iterates over the paths of temporary files, of objects and of parts that were last changed before a time in
   * milliseconds since 1970. Files of bodies that are still arriving are left out, although a slow body changes its file
   * rarely; files that other calls make or delete meanwhile may be missing.
   */
  olderThan(instance: string, timeMs: number): AsyncIterable<string>
}
