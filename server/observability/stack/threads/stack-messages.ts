import type { SentError } from '../../native/calls/sent-error.ts'
import type { Member } from '../member.ts'
import type { StackReaders } from '../open-readers.ts'
import type { StackSetting } from '../stack-setting.ts'

/** The members of stacks whose answers are read in threads, with their functions. Each takes a signal at last. */
export const threadedFunctions = {
  metrics: ['query', 'queryRange', 'alertVector', 'descriptors', 'labels'],
  graphs: ['graph'],
  logs: ['query', 'alertVector'],
  streams: ['streams'],
  tails: ['begin', 'read'],
  traces: ['trace', 'search'],
  retention: ['retentionMs'],
} as const satisfies { readonly [Name in keyof StackReaders]-?: readonly (keyof NonNullable<StackReaders[Name]>)[] }

export type ThreadedMember = keyof typeof threadedFunctions

/** A call of a function of a member. */
export interface MemberCall {
  readonly kind: 'call'
  /** Tells the call apart from others of the thread. */
  readonly number: number
  readonly engine: string
  readonly member: ThreadedMember
  readonly name: string
  /** The arguments without the signal. */
  readonly given: readonly unknown[]
}

/** The messages to a thread: a call, or the end of a call whose caller has left. */
export type StackMessage = MemberCall | { readonly kind: 'abort'; readonly number: number }

/** The answer to a call. */
export interface StackReply {
  readonly outcome:
    | { readonly value: unknown }
    /** The bytes of a `JsonText`. */
    | { readonly json: Uint8Array<ArrayBuffer> }
    | { readonly error: SentError }
  /** The requests to members since the reply before. */
  readonly counted: readonly CountedRequest[]
}

/** What became of a request to a member. */
export interface CountedRequest {
  readonly member: Pick<Member, 'engine' | 'setting'>
  readonly outcome: 'answered' | 'failed'
}

/** The data of a thread. */
export interface StackThreadData {
  readonly settings: readonly StackSetting[]
}
