import { parentPort, workerData } from 'node:worker_threads'
import { answerCalls } from '../calls/answer-calls.ts'
import type { ThreadData } from '../calls/messages.ts'
import { QueryCalls } from '../reading/query-calls.ts'

/** This thread reads metrics, one call at a time. */

const { abort, root }: ThreadData = workerData
const isAborted = (): boolean => abort !== undefined && Atomics.load(abort, 0) === 1

if (parentPort !== null) answerCalls(parentPort, report => new QueryCalls({ root, isAborted, report }))
