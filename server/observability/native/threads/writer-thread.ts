import { parentPort, workerData } from 'node:worker_threads'
import { decodePush } from '../../../../domain/observability/ingest/decode-push.ts'
import type { ThreadData } from '../calls/messages.ts'
import { WriterCalls } from '../writing/writer-calls.ts'

/** This thread writes the metrics of all workspaces. */

const { root }: ThreadData = workerData

if (parentPort !== null) new WriterCalls(root, parentPort, decodePush)
