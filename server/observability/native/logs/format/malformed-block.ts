import { FileFault } from '../../files/telemetry-file.ts'

/** The error of bytes that are no block, or that have changed since they were written. */
export class MalformedBlock extends Error {
  override readonly name = 'MalformedBlock'
  /** The continuation of the name of the block. */
  readonly fault: string

  /** `id` is the number of the block in its file, if that is known. */
  constructor(fault: string, { cause, id }: { readonly cause?: unknown; readonly id?: number } = {}) {
    super(`${id === undefined ? 'a block' : `the block ${id}`} ${fault}`, { cause })
    this.fault = fault
  }
}

/** Calls a function that reads the block with a number, which its `MalformedBlock` names. */
export function readingBlock<T>(id: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedBlock)) throw error
    throw new MalformedBlock(error.fault, { cause: error, id })
  }
}

/** Whether a fault of a file is that of one damaged block, so that other blocks can be read. */
export const isOfDamagedBlock = (error: unknown): error is FileFault =>
  error instanceof FileFault && error.cause instanceof MalformedBlock
