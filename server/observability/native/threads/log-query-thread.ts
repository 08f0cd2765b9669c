import { LogCalls } from '../logs/reading/log-calls.ts'
import { answerCalls } from '../calls/answer-calls.ts'

/** This thread reads logs, one call at a time. */

answerCalls(parts => new LogCalls(parts))
