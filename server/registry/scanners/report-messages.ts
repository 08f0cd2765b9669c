import type { Finding } from '../../../domain/registry/scanning/advisories.ts'

/** The work of a thread: the bytes of one report. */
export interface ReportWork {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The messages of the thread; each `findings` is answered, with no content, before the next message. */
export type FromReport =
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] }
  | { readonly kind: 'done'; readonly version: string }
  | { readonly kind: 'fault'; readonly message: string }
