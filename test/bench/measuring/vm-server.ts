import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ComputeOperation } from '../../../output/compute/types.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { servedPlatform, type ServedPlatform } from '../../server/iam/served-platform.ts'
import type { Part } from '../../domain/compute/load/vm-lives.ts'
import type { VmLoadInput } from './vm-load-worker.ts'

/** Starts `ninefold serve` over a place, whose machines take `scale` of their time; the process is ended later. */
export function serveVms(
  { dataDir, storeUrl }: StorePlace,
  scale: number,
  later: (undo: () => void | Promise<void>) => void,
): Promise<ServedPlatform> {
  const settings = {
    NINEFOLD_DATA_DIR: dataDir,
    NINEFOLD_COMPUTE_SIM_TIME_SCALE: String(scale),
    ...(storeUrl !== undefined && { NINEFOLD_STORE_URL: storeUrl }),
  }
  return servedPlatform(settings, later)
}

/** Runs concurrent clients in a thread of their own; returns the ended operations, and throws if one has failed. */
export async function ledBy(
  { admin, url }: ServedPlatform,
  parts: readonly Part[],
): Promise<readonly ComputeOperation[]> {
  const workerData: VmLoadInput = { url, token: (await admin()).token, parts }
  const worker = new Worker(new URL('./vm-load-worker.ts', import.meta.url), { workerData })
  const [operations = []]: (readonly ComputeOperation[])[] = await once(worker, 'message')
  const failed = operations.find(({ status }) => status !== 'COMPUTE_OPERATION_STATUS_DONE')
  if (failed) throw new Error(`operation ${failed.id} has ended as ${failed.status}`)
  return operations
}
