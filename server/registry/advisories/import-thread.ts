import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { importFolder } from './import-folder.ts'
import type { FromImport, ImportWork } from './thread-messages.ts'

/**
 * This thread looks at the folder of advisories for ever, and imports what has changed. Reading hundreds of thousands of
 * records takes seconds, which would hold the event loop of the server.
 */

const work: ImportWork = workerData

async function look(): Promise<FromImport> {
  const started = performance.now()
  try {
    const result = await importFolder(work)
    if (result === undefined) return { kind: 'equal' }
    return { kind: 'imported', seconds: (performance.now() - started) / 1000, ...result }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

for (;;) {
  parentPort?.postMessage(await look())
  await delay(work.everyMs)
}
