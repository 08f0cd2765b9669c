/** The values that a call gives a resource, keyed by field; null if the call deletes the resource. */
export type Sets = Readonly<Record<string, string>> | null

/** A call that the client is about to make. */
export interface Intent {
  /** The id of the call, which is also its Idempotency-Key. */
  readonly intent: string
  readonly operationType:
    | 'CREATE'
    | 'UPDATE'
    | 'DELETE'
    | 'ARCHIVE'
    | 'SUSPEND'
    | 'RESUME'
    | 'MOVE'
    | 'REGISTER'
    | 'ENABLE'
    | 'DISABLE'
    | 'START'
    | 'STOP'
    | 'RESTART'
    | 'RESET'
    | 'ADD_VERSION'
    | 'ROTATE'
    | 'DESTROY'
    | 'CANCEL_DESTROY'
    | 'REVOKE'
    | 'COMPLETE'
  /** The resource type without the name of the area, for example `workspaces`. */
  readonly resourceType: string
  /**
   * The name of the resource. Only one actor changes a resource, sequentially; all actors change the `shared` resource.
   */
  readonly thing: string
  readonly sets: Sets
  /** Whether the call makes no operation, such as an upload over a presigned URL. */
  readonly isWithoutOperation?: boolean
}

/** The result of a call for the client. */
export type Outcome =
  | { readonly of: string; readonly operation: string; readonly resource: string }
  | { readonly of: string; readonly refused: string }

/**
 * A fault of the transport: an attempt without a response, or a call that the client repeats because the transport had
 * no retries left.
 */
export interface Trouble {
  readonly trouble: 'lost' | 'again'
}

/** A report of a client: one line of JSON, printed at the time of the event. */
export type Entry = Intent | Outcome | Trouble

/** The name of the group that all actors suspend and resume. */
export const shared = 'shared'

/** The reports of all clients of a load; the reports of each client are in order. */
export class Journal {
  readonly intents: Intent[] = []
  readonly outcomes = new Map<string, Outcome>()
  readonly troubles = { lost: 0, again: 0 }

  add(entry: Entry): void {
    if ('intent' in entry) this.intents.push(entry)
    else if ('trouble' in entry) this.troubles[entry.trouble] += 1
    else this.outcomes.set(entry.of, entry)
  }

  /**
   * Returns the calls without a response, because the client was killed before; the server may have applied these calls
   * or not.
   */
  unanswered(): readonly Intent[] {
    return this.intents.filter(({ intent }) => !this.outcomes.has(intent))
  }
}
