import { parentPort, workerData } from 'node:worker_threads'
import { JsonText } from '../../../../runtime/json.ts'
import type { Received, Sent } from '../../native/calls/messages.ts'
import { sentError } from '../../native/calls/sent-error.ts'
import { lowerPriority } from '../../native/threads/thread-priority.ts'
import { openReaders } from '../open-readers.ts'
import type { CountedRequest, MemberCall, StackMessage, StackReply, StackThreadData } from './stack-messages.ts'

/** This thread asks the members of stacks, and reads their answers. Its calls yield to the other work of the server. */
lowerPriority()

const { settings }: StackThreadData = workerData
const counted: CountedRequest[] = []
const stacks = openReaders(settings, {
  clock: { now: () => Date.now() },
  counts: {
    answered: ({ engine, setting }) => void counted.push({ member: { engine, setting }, outcome: 'answered' }),
    failed: ({ engine, setting }) => void counted.push({ member: { engine, setting }, outcome: 'failed' }),
  },
})
const callers = new Map<number, AbortController>()

async function outcomeOf({ engine, given, member, name, number }: MemberCall): Promise<StackReply['outcome']> {
  const caller = new AbortController()
  callers.set(number, caller)
  try {
    const reader = stacks.get(engine)?.[member]
    const run: unknown = reader && Reflect.get(reader, name)
    if (typeof run !== 'function') throw new Error(`the stack ${engine} has no ${member}.${name}`)
    const value: unknown = await run.call(reader, ...given, caller.signal)
    if (!(value instanceof JsonText)) return { value }
    return { json: typeof value.data === 'string' ? new TextEncoder().encode(value.data) : value.data }
  } catch (error) {
    return { error: sentError(error) }
  } finally {
    callers.delete(number)
  }
}

async function answer({ call, id }: Sent<StackMessage>): Promise<void> {
  if (call.kind === 'abort') callers.get(call.number)?.abort()
  const outcome = call.kind === 'abort' ? { value: undefined } : await outcomeOf(call)
  const reply: StackReply = { outcome, counted: counted.splice(0) }
  const message: Received = { id, result: reply }
  parentPort?.postMessage(message, 'json' in outcome ? [outcome.json.buffer] : [])
}

parentPort?.on('message', (sent: Sent<StackMessage>) => void answer(sent))
