import { maxFrameBytes } from '../../../domain/network/packets/packet-switch.ts'

/** The length of the number before each frame: the length of the frame, big endian. */
export const prefixBytes = 4

/**
 * The longest frame that QEMU can send. A larger number is no length of a frame, so the reader has lost the bounds of
 * the frames.
 */
const maxSentBytes = 4096 + 65_536

/** The receiver of frames. The bytes belong to the reader again after each call. */
export interface FrameSink {
  frame(bytes: Uint8Array, start: number, end: number): void
  /** Called for a frame that is longer than `maxFrameBytes`, which the reader skips. */
  oversize(): void
}

/** Splits a stream into frames. Memory is bounded by one frame. */
export class FrameReader {
  readonly #sink: FrameSink
  /** The beginning of a frame with its prefix whose rest has not arrived. */
  readonly #rest = new Uint8Array(prefixBytes + maxFrameBytes)
  #restBytes = 0
  /** The number of bytes of an oversize frame that have not arrived. */
  #skipped = 0

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  /**
   * Reads the next `length` bytes of the stream. Returns false if they are not the form of frames; the stream must then
   * end.
   */
  read(bytes: Uint8Array, length: number): boolean {
    let at = 0
    while (at < length) {
      if (this.#skipped > 0) {
        const skipped = Math.min(this.#skipped, length - at)
        this.#skipped -= skipped
        at += skipped
        continue
      }
      const used =
        this.#restBytes > 0 || length - at < prefixBytes
          ? this.#complete(bytes, at, length)
          : this.#take(bytes, at, length)
      if (used < 0) return false
      at += used
    }
    return true
  }

  /** Reads the frame at `at`, or keeps its beginning; returns the number of used bytes, or -1 for a wrong length. */
  #take(bytes: Uint8Array, at: number, length: number): number {
    const frameBytes = lengthAt(bytes, at)
    if (frameBytes > maxFrameBytes) return this.#skip(frameBytes)
    const end = at + prefixBytes + frameBytes
    if (end > length) return this.#keep(bytes, at, length)
    this.#sink.frame(bytes, at + prefixBytes, end)
    return prefixBytes + frameBytes
  }

  /** Adds bytes to the beginning of a frame, and reads the frame once it is complete; returns the number of used bytes. */
  #complete(bytes: Uint8Array, at: number, length: number): number {
    const missing = prefixBytes - this.#restBytes
    if (missing > 0) {
      const used = this.#keep(bytes, at, Math.min(length, at + missing))
      if (this.#restBytes < prefixBytes) return used
      const frameBytes = lengthAt(this.#rest, 0)
      if (frameBytes <= maxFrameBytes && frameBytes > 0) return used
      this.#restBytes = 0
      if (frameBytes > 0) return this.#skip(frameBytes) < 0 ? -1 : used
      this.#sink.frame(this.#rest, prefixBytes, prefixBytes)
      return used
    }
    const end = prefixBytes + lengthAt(this.#rest, 0)
    const used = this.#keep(bytes, at, Math.min(length, at + end - this.#restBytes))
    if (this.#restBytes === end) {
      this.#restBytes = 0
      this.#sink.frame(this.#rest, prefixBytes, end)
    }
    return used
  }

  #keep(bytes: Uint8Array, at: number, end: number): number {
    this.#rest.set(bytes.subarray(at, end), this.#restBytes)
    this.#restBytes += end - at
    return end - at
  }

  /** Begins to skip a frame; returns the length of its prefix, or -1 if no frame has this length. */
  #skip(frameBytes: number): number {
    if (frameBytes > maxSentBytes) return -1
    this.#skipped = frameBytes
    this.#sink.oversize()
    return prefixBytes
  }
}

const lengthAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) * 2 ** 24 + (((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))
