/** The state of a resource after a call, by field; null if it is deleted. */
export type Sets = Readonly<Record<string, string>> | null

/** A call that is about to be made. */
export interface Intent {
  /** Its Idempotency-Key too. */
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
  /** Without the name of the area: `workspaces`. */
  readonly resourceType: string
  /** Only one actor changes a resource, one call after the other; all of them change the `shared` resource. */
  readonly thing: string
  readonly sets: Sets
}

/** The end of a call for the client. */
export type Outcome =
  | { readonly of: string; readonly operation: string; readonly resource: string }
  | { readonly of: string; readonly refused: string }

/** A try that got no answer, or a call that was made anew since its transport had no tries left. */
export interface Trouble {
  readonly trouble: 'lost' | 'again'
}

/** The reports of a client, one line of JSON each, at the time of the event. */
export type Entry = Intent | Outcome | Trouble

/** The group that all actors suspend and resume. */
export const shared = 'shared'

/** The reports of all clients of a load, in the order of each. */
export class Journal {
  readonly intents: Intent[] = []
  readonly outcomes = new Map<string, Outcome>()
  readonly troubles = { lost: 0, again: 0 }

  add(entry: Entry): void {
    if ('intent' in entry) this.intents.push(entry)
    else if ('trouble' in entry) this.troubles[entry.trouble] += 1
    else this.outcomes.set(entry.of, entry)
  }

  /** Calls that may have happened or not: the client ended before the answer. */
  unanswered(): readonly Intent[] {
    return this.intents.filter(({ intent }) => !this.outcomes.has(intent))
  }
}
