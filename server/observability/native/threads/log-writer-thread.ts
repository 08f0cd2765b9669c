import { parentPort, workerData } from 'node:worker_threads'
import { decodeLogs } from '../../../../domain/observability/ingest/decode-logs.ts'
import type { ThreadData } from '../calls/messages.ts'
import { LogWriterCalls } from '../logs/writing/log-writer-calls.ts'

/** This thread writes the logs of all workspaces. */

const { root }: ThreadData = workerData

if (parentPort !== null) new LogWriterCalls(root, parentPort, decodeLogs)
