import { QueryCalls } from '../reading/query-calls.ts'
import { answerCalls } from '../calls/answer-calls.ts'
import { lowerPriority } from './thread-priority.ts'

/** This thread reads metrics, one call at a time. Its calls yield to the other work of the server. */
lowerPriority()

answerCalls(parts => new QueryCalls(parts))
