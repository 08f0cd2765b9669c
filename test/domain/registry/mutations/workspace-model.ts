import type { RetentionRuleInput } from '../../../../output/registry/types.ts'
import type { RepositoryModel } from './repository-model.ts'

/** A scan policy of the model, which is enabled. */
export interface ModelScanPolicy {
  readonly id: string
  /** The name of the repository that it is about, or `*`. */
  readonly pattern: string
  readonly priority: number
  readonly blocks: 'nothing' | 'unscanned' | 'critical'
}

/** A retention policy of the model. */
export interface ModelRetentionPolicy {
  /** The name of the repository that it is about, or `*`. */
  readonly pattern: string
  readonly isEnabled: boolean
  readonly rules: readonly RetentionRuleInput[]
}

/** The naive model of the repositories of a workspace. */
export class WorkspaceModel {
  /** The scan policies, the oldest first. */
  scanPolicies: readonly ModelScanPolicy[] = []
  /** The retention policies, keyed by their ids. */
  readonly retentionPolicies = new Map<string, ModelRetentionPolicy>()
  readonly repositories = new Map<string, RepositoryModel>()
  /** The number of calls with each outcome, keyed by `<call>: <OK or reason>`. */
  readonly outcomes = new Map<string, number>()
  /** The largest number of stored bytes; undefined without a limit of the tests. */
  mostBytes: number | undefined

  get bytes(): number {
    return [...this.repositories.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get isReadOnly(): boolean {
    return this.mostBytes !== undefined && this.bytes > this.mostBytes
  }

  of(id: string): RepositoryModel {
    const found = this.repositories.get(id)
    if (!found) throw new Error(`repository ${id} is not in the model`)
    return found
  }

  /**
   * Tries a change on a copy of a repository, then makes the call. Of several reasons of a refusal, the call may have any,
   * because the order of checks has tests of its own. READ_ONLY
   * refuses pushes alone.
   */
  async make(
    call: string,
    id: string,
    change: (model: RepositoryModel) => readonly string[],
    run: () => Promise<string>,
    { isPush = false }: { readonly isPush?: boolean } = {},
  ): Promise<void> {
    const before = this.of(id)
    const after = before.clone()
    const reasons = [...change(after)]
    const growth = after.bytes - before.bytes
    if (isPush && this.isReadOnly) reasons.push('REPOSITORY_READ_ONLY')
    if (growth > 0 && this.mostBytes !== undefined && this.bytes + growth > this.mostBytes)
      reasons.push('QUOTA_EXCEEDED')
    if (this.record(call, await run(), reasons)) this.repositories.set(id, after)
  }

  /** Records an outcome, and returns whether the change was made. Throws for an outcome that the model does not have. */
  record(call: string, outcome: string, reasons: readonly string[]): boolean {
    const key = `${call}: ${outcome}`
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1)
    const expected = reasons.length === 0 ? ['OK'] : reasons
    if (!expected.includes(outcome)) throw new Error(`${key}, and the model has ${expected.join(' or ')}`)
    return outcome === 'OK'
  }
}
