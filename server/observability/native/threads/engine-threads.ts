import type { NativeLease } from '../../../../domain/resources/native-lease.ts'
import type { Log } from '../../../log.ts'
import { programBeside } from './calling-thread.ts'
import { servedElsewhere } from '../calls/engine-errors.ts'
import { QueryPool, type CallTerms, type PoolCall } from './query-pool.ts'
import { Writer } from './writer.ts'

/** The number of threads that read. */
const readers = 2

/** The parts of the threads of an engine. */
export interface EngineThreadsParts {
  /** The folder for the telemetry of all workspaces. */
  readonly root: string
  /** The lease of the server that serves the folder. */
  readonly lease: NativeLease
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** The names of the programs of threads, which lie beside this module. */
interface Programs {
  readonly reader: string
  readonly writer: string
}

/** The threads that write and read the files of one signal, while this server holds the lease of the files. */
export class EngineThreads<Read extends PoolCall, Write> {
  readonly #parts: EngineThreadsParts
  readonly #writer: Writer<Write>
  readonly #pool: QueryPool<Read>
  /** The signal of the lease under which the threads run. */
  #tenure: AbortSignal | undefined

  constructor({ lease, log, root }: EngineThreadsParts, { reader, writer }: Programs) {
    this.#parts = { lease, log, root }
    this.#writer = new Writer({
      work: 'writes telemetry',
      data: { root },
      log,
      program: programBeside(import.meta.url, writer),
    })
    this.#pool = new QueryPool({ root, log, size: readers, program: programBeside(import.meta.url, reader) })
  }

  /** The calls and bytes that wait for the thread that writes, and the calls of the threads that read. */
  get load() {
    return { writer: this.#writer.waiting, readers: this.#pool.load }
  }

  /** Runs a call on a thread that reads. Rejects as `QueryPool.call`, and with ENGINE_UNAVAILABLE without the lease. */
  async read(call: Read, terms: CallTerms): Promise<unknown> {
    await this.#requireLease()
    return this.#pool.call(call, terms)
  }

  /** Runs a call on the thread that writes, which takes the memory of `body`. Rejects with ENGINE_UNAVAILABLE. */
  async write(call: Write, body?: ArrayBuffer): Promise<unknown> {
    await this.#requireLease()
    return this.#writer.call(call, body)
  }

  /** Ends the threads; what was written before is on the disk. */
  async end(): Promise<void> {
    await Promise.all([this.#writer.end(), this.#pool.end()])
  }

  /** Throws ENGINE_UNAVAILABLE on a server without the lease. With the loss of the lease, the threads end. */
  async #requireLease(): Promise<void> {
    const { lease, log } = this.#parts
    if (!(await lease.isServing())) throw servedElsewhere()
    const { signal } = lease
    if (signal === this.#tenure) return
    this.#tenure = signal
    signal?.addEventListener('abort', () => {
      this.end().catch((err: unknown) => log.warn({ err }, 'the threads of telemetry did not end properly'))
    })
  }
}

/** Returns bytes whose memory belongs to them alone, because a thread takes the memory. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(bytes)
}
