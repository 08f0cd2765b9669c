import { buildInfoMagic, longestBuildInfo } from '../../../../domain/registry/scanning/sources/go-build-info.ts'
import type { ProgramParts } from '../../../../domain/registry/scanning/sources/program.ts'
import type { ContentSink } from '../tar/tar-reader.ts'
import { cratesSection, headerBytes, headersOf, type ProgramHeaders } from './program-headers.ts'

/** The build info lies at a multiple of this in its file. */
const alignment = 16

/** The name of the section of crates among the names of sections, which stand behind all else in an ELF file. */
const cratesName = Buffer.from(`\0${cratesSection}\0`, 'latin1')

const longestText = Math.max(buildInfoMagic.length, cratesName.length)

/** Finds the build info of Go, or the mark of a list of crates, in a program of any size; holds no more than this of it. */
export class Program implements ContentSink {
  readonly #take: (parts: ProgramParts) => void
  #head: Buffer = Buffer.alloc(0)
  #headers: ProgramHeaders | undefined
  /** The bytes before the next ones that may begin a text, and the place of the first one. */
  #tail: Buffer = Buffer.alloc(0)
  #position = 0
  #hasCrates = false
  #buildInfo: Buffer[] | undefined
  #infoBytes = 0

  /** Calls `take` at the end of a program that has build info, with bytes behind it, or a list of crates. */
  constructor(take: (parts: ProgramParts) => void) {
    this.#take = take
  }

  write(bytes: Buffer): boolean {
    if (this.#headers !== undefined) return this.#search(bytes)
    this.#head = Buffer.concat([this.#head, bytes])
    if (this.#head.length < headerBytes) return true
    return this.#begin()
  }

  end(): void {
    if (this.#headers === undefined) this.#begin()
    const buildInfo = this.#buildInfo && Buffer.concat(this.#buildInfo)
    if (buildInfo !== undefined || this.#hasCrates) this.#take({ buildInfo, hasCrates: this.#hasCrates })
  }

  #begin(): boolean {
    this.#headers = headersOf(this.#head)
    if (this.#headers === undefined) {
      this.#headers = { writable: [], hasCrates: false }
      return false
    }
    this.#hasCrates = this.#headers.hasCrates === true
    return this.#search(this.#head)
  }

  #search(bytes: Buffer): boolean {
    if (this.#buildInfo !== undefined) return this.#collect(bytes)
    const seen = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes])
    const at = this.#magicIn(seen)
    if (at >= 0) {
      this.#buildInfo = []
      return this.#collect(seen.subarray(at))
    }
    const namesSections = this.#headers?.hasCrates === undefined
    if (namesSections && seen.includes(cratesName)) this.#hasCrates = true
    const kept = Math.min(seen.length, longestText - 1)
    this.#tail = Buffer.from(seen.subarray(seen.length - kept))
    this.#position += seen.length - kept
    return namesSections || this.#headers?.writable.some(({ end }) => end > this.#position) === true
  }

  /** Returns the place in `seen` where the magic lies in a writable segment; -1 if there is none. */
  #magicIn(seen: Buffer): number {
    for (let at = seen.indexOf(buildInfoMagic); at >= 0; at = seen.indexOf(buildInfoMagic, at + 1)) {
      const place = this.#position + at
      const isInside = this.#headers?.writable.some(({ end, start }) => place >= start && place < end) === true
      if (isInside && place % alignment === 0) return at
    }
    return -1
  }

  #collect(bytes: Buffer): boolean {
    const wanted = bytes.subarray(0, longestBuildInfo - this.#infoBytes)
    this.#buildInfo?.push(Buffer.from(wanted))
    this.#infoBytes += wanted.length
    return this.#infoBytes < longestBuildInfo
  }
}
