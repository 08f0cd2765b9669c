import type { Reader } from '../../ports/store.ts'
import { policyCollection } from '../policies/policies-store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { compile, type CompiledRule } from './compiled-rules.ts'

/** A repository, or a workspace and engine if `id` is empty. */
export type PolicyPlace = Pick<StoredRepository, 'id' | 'workspace_id' | 'engine'>

/** The number of policies whose rules a server keeps in memory. */
const capacity = 500

interface Kept {
  readonly version: number
  readonly rules: readonly CompiledRule[]
}

/**
 * Reads the rules of access policies. Each read asks the store for the versions of the policies, so a change counts at
 * once on every server; only the compiled rules of an unchanged version are reused.
 */
export class PolicyRules {
  readonly #kept = new Map<string, Kept>()

  /** Returns the rules of the enabled policies of a repository and of its workspace. */
  async of(reader: Reader, { engine, id, workspace_id }: PolicyPlace): Promise<readonly CompiledRule[]> {
    const found: CompiledRule[] = []
    const where = { workspace_id, engine, repository_id: id === '' ? [''] : ['', id], enabled: true }
    for await (const stored of reader.each(policyCollection, where)) {
      const known = this.#kept.get(stored.id)
      const rules = known?.version === stored.version ? known.rules : compile(stored.value)
      this.#keep(stored.id, { version: stored.version, rules })
      found.push(...rules)
    }
    return found
  }

  /** Keeps the rules as those used last, and drops the rules whose last use is the oldest. */
  #keep(id: string, kept: Kept): void {
    this.#kept.delete(id)
    this.#kept.set(id, kept)
    if (this.#kept.size <= capacity) return
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
