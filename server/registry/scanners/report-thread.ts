import { once } from 'node:events'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Finding } from '../../../domain/registry/scanning/advisories.ts'
import { ScannerFault } from '../../../domain/registry/scanning/external-scanner.ts'
import { findingsIn } from './harbor-report.ts'
import type { FromReport, ReportWork } from './report-messages.ts'

/** This thread reads one report of a scanner outside of the platform, and ends. */

/** The findings of one message: the server takes it in about a millisecond. */
const findingsOfMessage = 250

const { bytes }: ReportWork = workerData

async function read(port: MessagePort): Promise<void> {
  const post = (message: FromReport): void => port.postMessage(message)
  try {
    const reading = findingsIn(bytes)
    let batch: Finding[] = []
    const flush = async (): Promise<void> => {
      const taken = once(port, 'message')
      post({ kind: 'findings', findings: batch })
      batch = []
      await taken
    }
    let step = reading.next()
    for (; !step.done; step = reading.next()) {
      batch.push(step.value)
      if (batch.length === findingsOfMessage) await flush()
    }
    if (batch.length > 0) await flush()
    post({ kind: 'done', version: step.value })
  } catch (error) {
    if (!(error instanceof ScannerFault)) throw error
    post({ kind: 'fault', message: error.message })
  }
}

if (parentPort !== null) await read(parentPort)
