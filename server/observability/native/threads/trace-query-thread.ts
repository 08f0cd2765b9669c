import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadData } from '../calls/messages.ts'
import { answerCalls } from '../calls/answer-calls.ts'
import { TraceCalls } from '../traces/trace-calls.ts'

/** This thread reads traces, one call at a time. */

const { abort, root }: ThreadData = workerData
const isAborted = (): boolean => abort !== undefined && Atomics.load(abort, 0) === 1

if (parentPort !== null) answerCalls(parentPort, report => new TraceCalls({ root, isAborted, report }))
