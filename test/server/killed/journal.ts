/** What a thing is after a call, by field; null when it is gone. */
export type Sets = Readonly<Record<string, string>> | null

/** A call that is about to be made. */
export interface Intent {
  /** Its Idempotency-Key too. */
  readonly intent: string
  readonly operationType: 'CREATE' | 'UPDATE' | 'DELETE' | 'ARCHIVE' | 'SUSPEND' | 'RESUME' | 'MOVE'
  /** Without the name of the area: `workspaces`. */
  readonly resourceType: string
  /** Only one actor changes a thing, one call after the other; all of them change the one that is `shared`. */
  readonly thing: string
  readonly sets: Sets
}

/** How a call ended for the client. */
export type Outcome =
  | { readonly of: string; readonly operation: string; readonly resource: string }
  | { readonly of: string; readonly refused: string }

/** A try that got no answer, or a call that was made anew since its transport had no tries left. */
export interface Trouble {
  readonly trouble: 'lost' | 'again'
}

/** What a client tells, one line of JSON each, at the moment it happens. */
export type Entry = Intent | Outcome | Trouble

/** The group that all actors suspend and resume. */
export const shared = 'shared'

/** What all clients of a load have told, in the order of each. */
export class Journal {
  readonly intents: Intent[] = []
  readonly outcomes = new Map<string, Outcome>()
  readonly troubles = { lost: 0, again: 0 }

  add(entry: Entry): void {
    if ('intent' in entry) this.intents.push(entry)
    else if ('trouble' in entry) this.troubles[entry.trouble] += 1
    else this.outcomes.set(entry.of, entry)
  }

  /** What may have happened or not: the client ended before the answer. */
  unanswered(): readonly Intent[] {
    return this.intents.filter(({ intent }) => !this.outcomes.has(intent))
  }
}
