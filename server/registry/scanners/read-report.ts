import { Worker } from 'node:worker_threads'
import type { Finding } from '../../../domain/registry/scanning/advisories.ts'
import { ScannerFault } from '../../../domain/registry/scanning/external-scanner.ts'
import type { FromReport, ReportWork } from './report-messages.ts'

/** The findings of a report, and the version of the scanner. */
export interface HarborReport {
  readonly version: string
  readonly findings: readonly Finding[]
}

/** The limits of the reading of a report. */
interface ReadingLimits {
  /** The largest heap of the thread in MiB. */
  readonly heapMib: number
  /** The longest time of the reading in milliseconds. */
  readonly timeMs: number
}

/** The heap is several times what the largest value of a report takes. */
const readingLimits: ReadingLimits = { heapMib: 64, timeMs: 60_000 }

/**
 * Returns the findings of a report in a thread of its own, because a large report would hold the event loop, and a hostile
 * one the memory. The bytes are the thread's from then on. Throws a `ScannerFault` for
 * another form and for too much time or memory, and the reason of an aborted signal.
 */
export async function readReport(
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
  limits = readingLimits,
): Promise<HarborReport> {
  signal.throwIfAborted()
  const { promise, reject, resolve } = Promise.withResolvers<HarborReport>()
  const findings: Finding[] = []
  const thread = startThread({ bytes }, limits)
  const take = (message: FromReport): void => {
    switch (message.kind) {
      case 'findings':
        for (const finding of message.findings) findings.push(finding)
        // Messages are taken without a pause, so the next one waits for its turn.
        setImmediate(() => thread.postMessage(undefined))
        return
      case 'done':
        return resolve({ version: message.version, findings })
      case 'fault':
        return reject(new ScannerFault(message.message))
    }
  }
  const stop = (): void => reject(signal.reason)
  const timer = setTimeout(() => reject(tooSlow(limits)), limits.timeMs)
  thread.on('message', take)
  thread.once('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuchMemory(limits) : error),
  )
  thread.once('exit', () => reject(new Error('the thread that reads a report ended without a result')))
  signal.addEventListener('abort', stop)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    await thread.terminate()
  }
}

function startThread(workerData: ReportWork, { heapMib }: ReadingLimits): Worker {
  // The ending is that of this file, because compiled code has another ending.
  const program = new URL(import.meta.url.replace(/[^/]*\.([^.]*)$/, 'report-thread.$1'))
  return new Worker(program, {
    workerData,
    transferList: [workerData.bytes.buffer],
    name: 'report of a scanner',
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: 8 },
  })
}

const tooSlow = ({ timeMs }: ReadingLimits): ScannerFault =>
  new ScannerFault(`the report of the scanner takes more than ${timeMs / 1000} seconds to read`)

const tooMuchMemory = ({ heapMib }: ReadingLimits): ScannerFault =>
  new ScannerFault(`the report of the scanner takes more than ${heapMib} MiB of memory to read`)
