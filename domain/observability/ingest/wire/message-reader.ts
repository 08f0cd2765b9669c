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
}
