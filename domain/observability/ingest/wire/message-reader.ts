import { Reader } from 'protobufjs/minimal.js'
import { largePayload } from '../payload-faults.ts'

/** The largest number of values in the lists of a request, so that empty messages cannot take minutes of work. */
const maxValues = 4_000_000

/** Counts the values that are read from a request. */
export class Budget {
  #left = maxValues

  /** Counts `count` values more. Throws PAYLOAD_TOO_LARGE beyond 4,000,000 values. */
  spend(count = 1): void {
    this.#left -= count
    if (this.#left < 0) throw largePayload(`has more than ${maxValues} values; send smaller batches`)
  }
}

/** Reads a message of protobuf; all readers of a request share a budget. */
export class MessageReader extends Reader {
  readonly budget: Budget

  constructor(bytes: Uint8Array, budget: Budget) {
    super(bytes)
    this.budget = budget
  }

  /** Returns a reader of the message that comes next, and goes on after that message. */
  inner(): MessageReader {
    return new MessageReader(this.bytes(), this.budget)
  }

  /** Returns a reader of the same bytes from their beginning. */
  again(): MessageReader {
    return new MessageReader(this.buf, this.budget)
  }
  /** Reads the length of bytes, and returns the position after these. Throws `RangeError` beyond the end. */
  endOfBytes(): number {
    const end = this.uint32() + this.pos
    if (end > this.len) throw new RangeError('the bytes end beyond the end of the message')
    return end
  }

  /** Reads a varint as the nearest signed floating-point number. */
  integer(): number {
    const { buf, len, pos } = this
    let value = 0
    // The numbers of seven bytes are exact.
    for (let i = 0, unit = 1; i < 7 && pos + i < len; i += 1, unit *= 128) {
      const byte = buf[pos + i] ?? 0
      value += (byte & 127) * unit
      if (byte < 128) {
        this.pos = pos + i + 1
        return value
      }
    }
    return Number(this.int64().toString())
  }
}
