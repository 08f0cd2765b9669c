import type { Reader } from './store.ts'

/** What other areas ask iam about principals (conventions §14). */
export interface Principals {
  /** The kind and status of a principal, or undefined when there is none. */
  find(
    reader: Reader,
    id: string,
  ): Promise<{ readonly kind: 'user' | 'service_account'; readonly status: string } | undefined>
}
