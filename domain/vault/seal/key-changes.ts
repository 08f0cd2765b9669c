import type { Transaction } from '../../ports/store.ts'

/**
 * Informs every server of changes to cached key material (vault.md 4.1). The keys of changes are
 * `workspaces/<id>` for the key of a workspace, and `cryptoKeys/<id>` for a crypto key and its versions.
 */
export interface KeyChanges {
  /**
   * Records a change in the transaction of the caller, after all its other locks. A mutation that records a change is
   * answered once every server has applied the change.
   */
  revise(tx: Transaction, key: string): Promise<void>
  /**
   * Registers a cache. `changed` receives the key of each change, at its commit or when the change of another server is
   * read; `reset` requests that the cache drops all entries. Repeated calls must be harmless.
   */
  listen(cache: { readonly changed: (key: string) => void; readonly reset: () => void }): void
}
