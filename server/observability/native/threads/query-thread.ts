import { QueryCalls } from '../reading/query-calls.ts'
import { answerCalls } from '../calls/answer-calls.ts'

/** This thread reads metrics, one call at a time. */

answerCalls(parts => new QueryCalls(parts))
