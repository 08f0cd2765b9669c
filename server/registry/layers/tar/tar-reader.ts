import { LayerFault } from '../../../../domain/registry/scanning/inventory.ts'
import { readPax, type PaxRecords } from './pax.ts'
import { blockSize, readHeader, type TarHeader } from './tar-header.ts'

/** An entry of a tar archive. */
export interface TarEntry {
  readonly kind: 'file' | 'folder' | 'hard link' | 'symbolic link' | 'other'
  /** The bytes of the name as Latin 1, as the archive writes them. */
  readonly name: string
  /** The bytes of the target of a link as Latin 1. */
  readonly link: string
  readonly mode: number
  /** The bytes of its content in the archive. */
  readonly size: number
  readonly isSparse: boolean
}

/** Takes the content of an entry. */
export interface ContentSink {
  /** Takes the next bytes, which are valid during the call only. Returns whether the sink wants more. */
  write(bytes: Buffer): boolean
  /** Is called after the last byte that the sink wanted. */
  end(): void
}

/** Takes each entry in the order of the archive. Returns a sink if its content is wanted. */
export type TakeEntry = (entry: TarEntry) => ContentSink | undefined

/** The most bytes of an extended header, as in Go's archive/tar: names are longer in no file system. */
const longestExtension = 1_048_576

const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'hard link',
  '2': 'symbolic link',
  '5': 'folder',
  '7': 'file',
  S: 'file',
}

/** The flags of entries that have no content, whatever size they name: links, devices and pipes. */
const withoutContent = new Set(['1', '2', '3', '4', '6'])

/** The flags of extended headers: PAX for one entry and for all, and the long link and name of GNU. */
const extensions = new Set(['x', 'g', 'K', 'L'])

/**
 * Reads a tar archive of the formats V7, USTAR, PAX, STAR and GNU from pieces of bytes, and holds no more of it than a header.
 * It reads an archive as Go's archive/tar does, by which container engines unpack layers, so that both see the same
 * files. Throws a `LayerFault` for what is no archive.
 */
export class TarReader {
  readonly #take: TakeEntry
  readonly #block = Buffer.alloc(blockSize)
  #filled = 0
  #emptyBlocks = 0
  /** The bytes of the content that are left, and the bytes up to the next block. */
  #left = 0
  #padding = 0
  #sink: ContentSink | undefined
  #extension: { readonly flag: string; readonly bytes: Buffer } | undefined
  #pax: PaxRecords | undefined
  #longName: string | undefined
  #longLink: string | undefined
  #hasSparseBlocks = false
  #afterSparseBlocks: (() => void) | undefined

  constructor(take: TakeEntry) {
    this.#take = take
  }

  /** Whether the end of the archive was read; bytes after it are no part of it. */
  get isEnded(): boolean {
    return this.#emptyBlocks >= 2
  }

  /** Reads the next bytes. */
  push(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && !this.isEnded) {
      if (this.#left > 0) at += this.#content(bytes.subarray(at, at + this.#left))
      else if (this.#padding > 0) at += this.#skipPadding(bytes.length - at)
      else at += this.#header(bytes.subarray(at, at + blockSize - this.#filled))
    }
  }

  /** Ends the archive, which may lack the bytes up to a whole block. Throws a `LayerFault` if it lacks more. */
  end(): void {
    if (!this.isEnded && (this.#filled > 0 || this.#left > 0 || this.#hasSparseBlocks))
      throw new LayerFault('unreadable', 'the tar archive is cut off')
  }

  #content(bytes: Buffer): number {
    this.#left -= bytes.length
    if (this.#extension !== undefined) {
      const { bytes: whole } = this.#extension
      bytes.copy(whole, whole.length - this.#left - bytes.length)
    } else if (this.#sink?.write(bytes) === false) this.#endSink()
    if (this.#left === 0) this.#endContent()
    return bytes.length
  }

  #endContent(): void {
    this.#endSink()
    if (this.#extension === undefined) return
    const { bytes, flag } = this.#extension
    this.#extension = undefined
    const nul = bytes.indexOf(0)
    const text = bytes.toString('latin1', 0, nul < 0 ? bytes.length : nul) || undefined
    if (flag === 'x') this.#pax = readPax(bytes)
    // A header for all entries applies to none, and ends those before it.
    if (flag === 'g') this.#forgetExtensions()
    if (flag === 'L') this.#longName = text
    if (flag === 'K') this.#longLink = text
  }

  #endSink(): void {
    const sink = this.#sink
    this.#sink = undefined
    sink?.end()
  }

  #forgetExtensions(): void {
    this.#pax = this.#longName = this.#longLink = undefined
  }

  #skipPadding(available: number): number {
    const skipped = Math.min(this.#padding, available)
    this.#padding -= skipped
    return skipped
  }

  #header(bytes: Buffer): number {
    bytes.copy(this.#block, this.#filled)
    this.#filled += bytes.length
    if (this.#filled === blockSize) {
      this.#filled = 0
      if (this.#hasSparseBlocks) this.#sparseBlock()
      else if (this.#block.every(byte => byte === 0)) this.#emptyBlocks++
      else this.#begin(readHeader(this.#block))
    }
    return bytes.length
  }

  #begin(header: TarHeader): void {
    if (this.#emptyBlocks > 0) throw new LayerFault('unreadable', 'an empty block stands inside of the tar archive')
    if (extensions.has(header.flag)) return this.#beginExtension(header)
    const entry = this.#entryOf(header)
    this.#hasSparseBlocks = header.hasSparseBlocks && header.flag === 'S'
    this.#afterSparseBlocks = () => this.#beginContent(entry)
    if (!this.#hasSparseBlocks) this.#afterSparseBlocks()
  }

  #sparseBlock(): void {
    this.#hasSparseBlocks = this.#block[504] === 1
    if (!this.#hasSparseBlocks) this.#afterSparseBlocks?.()
  }

  #beginContent(entry: TarEntry): void {
    this.#expect(entry.size)
    this.#sink = this.#take(entry)
    if (entry.size === 0) this.#endContent()
  }

  #beginExtension({ flag, size }: TarHeader): void {
    if (size > longestExtension)
      throw new LayerFault(
        'unreadable',
        `an extended header of the tar archive has more than ${longestExtension} bytes`,
      )
    this.#extension = { flag, bytes: Buffer.alloc(size) }
    this.#expect(size)
    if (size === 0) this.#endContent()
  }

  #expect(size: number): void {
    this.#left = size
    this.#padding = (blockSize - (size % blockSize)) % blockSize
  }

  /** Returns the entry of a header, with what the extended headers before it say. */
  #entryOf(header: TarHeader): TarEntry {
    const { flag, mode } = header
    const name = this.#pax?.sparseName ?? this.#longName ?? this.#pax?.path ?? header.name
    const link = this.#longLink ?? this.#pax?.link ?? header.link
    // Archives of V7 mark folders by a slash alone.
    const kind = flag === '\0' && name.endsWith('/') ? 'folder' : (kinds[flag] ?? 'other')
    const hasContent = kind !== 'folder' && !withoutContent.has(flag)
    const size = hasContent ? (this.#pax?.size ?? header.size) : 0
    const isSparse = flag === 'S' || this.#pax?.isSparse === true
    this.#forgetExtensions()
    return { kind, name, link, mode, size, isSparse }
  }
}
