import { parentPort, workerData } from 'node:worker_threads'
import { systemCode } from '../../store/sqlite/store-file.ts'
import { openExported } from './open-exported.ts'
import { SnapshotFault } from './snapshot-fault.ts'
import type { ThreadResult, ThreadWork } from './thread-messages.ts'
import { OtherRootKey, verifySnapshot, writeSnapshot } from './write-snapshot.ts'

/**
 * This thread writes one snapshot and ends. It has a connection of its own, so that neither the reads nor the compression
 * hold the event loop of the server.
 */

const work: ThreadWork = workerData

async function result(): Promise<ThreadResult> {
  let stage: 'write' | 'verify' = 'write'
  try {
    const snapshot = await openExported(work.place, work.collections)
    let written
    try {
      written = await writeSnapshot(snapshot, work)
      snapshot.verify()
    } finally {
      await snapshot.close()
    }
    stage = 'verify'
    if (work.verify) await verifySnapshot(work)
    return { kind: 'written', ...written }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', stage, message, fault: faultOf(error) }
  } finally {
    work.key.fill(0)
  }
}

/** The faults of a file for callers, keyed by the codes of the system; a message of the system would tell the path. */
const faults: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of the snapshots is full; make room',
  EDQUOT: 'the disk of the snapshots is full; make room',
  EACCES: 'the server may not write to the folder of the snapshots; grant that',
  EPERM: 'the server may not write to the folder of the snapshots; grant that',
  EROFS: 'the folder of the snapshots cannot be written; set vault.snapshots.dir to another one',
}

function faultOf(error: unknown): string {
  if (error instanceof OtherRootKey) return error.message
  if (error instanceof SnapshotFault)
    return 'its bytes were changed on the disk; check the disk, and take another snapshot'
  const code = systemCode(error)
  return faults[code] ?? `the log of the server has the cause${code === '' ? '' : ` (${code})`}`
}

// The constants above must be initialised first.
parentPort?.postMessage(await result())
