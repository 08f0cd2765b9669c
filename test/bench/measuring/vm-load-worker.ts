import { parentPort, workerData } from 'node:worker_threads'
import { ComputeClient } from '../../../output/compute/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { leadVms, type Part } from '../../domain/compute/load/vm-lives.ts'

/** The input of the worker: the parts of the concurrent clients of a server. */
export interface VmLoadInput {
  readonly url: string
  readonly token: string
  readonly parts: readonly Part[]
}

/** Clients in a thread of their own, so that they do not delay the reads that are measured. */
const port = parentPort
if (port === null) throw new Error('this file is a worker of the bench')
const { parts, token, url }: VmLoadInput = workerData
const ended = await Promise.all(
  parts.map(part => leadVms(new ComputeClient(createTransport({ baseUrl: url, token })), part)),
)
port.postMessage(ended.flat())
