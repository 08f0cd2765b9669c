import { once } from 'node:events'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { ScannerFault } from '../../../domain/registry/scanning/external-scanner.ts'
import { parseReport } from './harbor-report.ts'
import type { FromReport, ReportWork } from './report-messages.ts'

/** This thread reads one report of a scanner outside of the platform, and ends. */

/** The findings of one message: the server takes it in about a millisecond. */
const findingsOfMessage = 250

const { bytes }: ReportWork = workerData

async function read(port: MessagePort): Promise<void> {
  const post = (message: FromReport): void => port.postMessage(message)
  try {
    const { findings, version } = parseReport(new TextDecoder().decode(bytes))
    for (let i = 0; i < findings.length; i += findingsOfMessage) {
      const taken = once(port, 'message')
      post({ kind: 'findings', findings: findings.slice(i, i + findingsOfMessage) })
      await taken
    }
    post({ kind: 'done', version })
  } catch (error) {
    if (!(error instanceof ScannerFault)) throw error
    post({ kind: 'fault', message: error.message })
  }
}

if (parentPort !== null) await read(parentPort)
