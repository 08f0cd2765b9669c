import { buildInfoMagic, longestBuildInfo } from '../../../../domain/registry/scanning/sources/go-build-info.ts'
import type { ContentSink } from '../tar/tar-reader.ts'
import { elfHeaderBytes, isElf, writableSegments, type Segment } from './elf-segments.ts'

/** The build info lies at a multiple of this in its file. */
const alignment = 16

/** Finds the build info of Go in a program of any size, and holds no more than this of it. */
export class Program implements ContentSink {
  readonly #take: (buildInfo: Buffer) => void
  #head: Buffer = Buffer.alloc(0)
  #segments: readonly Segment[] | undefined
  /** The bytes before the next ones that may begin the magic, and the place of the first one. */
  #tail: Buffer = Buffer.alloc(0)
  #position = 0
  #found: Buffer[] | undefined
  #foundBytes = 0

  /** Calls `take` with the build info, and with the bytes behind it, at the end of a program that has such. */
  constructor(take: (buildInfo: Buffer) => void) {
    this.#take = take
  }

  write(bytes: Buffer): boolean {
    if (this.#segments !== undefined) return this.#search(bytes)
    this.#head = Buffer.concat([this.#head, bytes])
    if (this.#head.length < elfHeaderBytes) return true
    return this.#begin()
  }

  end(): void {
    if (this.#segments === undefined) this.#begin()
    if (this.#found !== undefined) this.#take(Buffer.concat(this.#found))
  }

  #begin(): boolean {
    if (!isElf(this.#head)) {
      this.#segments = []
      return false
    }
    this.#segments = writableSegments(this.#head)
    return this.#search(this.#head)
  }

  #search(bytes: Buffer): boolean {
    if (this.#found !== undefined) return this.#collect(bytes)
    const seen = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes])
    const at = this.#magicIn(seen)
    if (at >= 0) {
      this.#found = []
      return this.#collect(seen.subarray(at))
    }
    const kept = Math.min(seen.length, buildInfoMagic.length - 1)
    this.#tail = Buffer.from(seen.subarray(seen.length - kept))
    this.#position += seen.length - kept
    return this.#segments?.some(({ end }) => end > this.#position) === true
  }

  /** Returns the place in `seen` where the magic lies in a writable segment; -1 if there is none. */
  #magicIn(seen: Buffer): number {
    for (let at = seen.indexOf(buildInfoMagic); at >= 0; at = seen.indexOf(buildInfoMagic, at + 1)) {
      const place = this.#position + at
      const isInside = this.#segments?.some(({ end, start }) => place >= start && place < end) === true
      if (isInside && place % alignment === 0) return at
    }
    return -1
  }

  #collect(bytes: Buffer): boolean {
    const wanted = bytes.subarray(0, longestBuildInfo - this.#foundBytes)
    this.#found?.push(Buffer.from(wanted))
    this.#foundBytes += wanted.length
    return this.#foundBytes < longestBuildInfo
  }
}
