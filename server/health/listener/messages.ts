import type { Readiness } from '../vitals.ts'

/** The settings of the thread of a health listener. */
export interface ThreadSettings {
  readonly host: string
  readonly port: number
  /** Whether `/metrics` is answered to every caller, not only to callers on the same machine. */
  readonly isPublic: boolean
}

/** A message from the server to the thread of its health listener. */
export type ToThread =
  /** The event loop of the server runs. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'readiness'; readonly readiness: Readiness }
  | { readonly kind: 'metrics'; readonly text: string }

/** A message from the thread of a health listener to its server. */
export type FromThread =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string }
  /** A caller waits for the metrics. */
  | { readonly kind: 'metrics' }
