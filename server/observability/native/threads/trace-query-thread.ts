import { TraceCalls } from '../traces/trace-calls.ts'
import { answerCalls } from '../calls/answer-calls.ts'

/** This thread reads traces, one call at a time. */

answerCalls(parts => new TraceCalls(parts))
