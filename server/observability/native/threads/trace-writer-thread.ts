import { parentPort, workerData } from 'node:worker_threads'
import { decodeSpans } from '../../../../domain/observability/ingest/decode-spans.ts'
import type { ThreadData } from '../calls/messages.ts'
import { TraceWriterCalls } from '../traces/trace-writer-calls.ts'

/** This thread writes the traces of all workspaces. */

const { root }: ThreadData = workerData

if (parentPort !== null) new TraceWriterCalls(root, parentPort, decodeSpans)
