import type { Metric } from '../../health/metrics.ts'
import type { Member } from './member.ts'

/** What became of the requests to a member. */
interface MemberCounts {
  readonly labels: { readonly engine: string; readonly member: string }
  answered: number
  failed: number
}

/** Takes what became of requests to members. */
export interface RequestCounts {
  answered(member: Pick<Member, 'engine' | 'setting'>): void
  failed(member: Pick<Member, 'engine' | 'setting'>): void
}

/** Counts the requests to the members of stacks. */
export class StackCounts implements RequestCounts {
  readonly #counts = new Map<string, MemberCounts>()

  answered(member: Pick<Member, 'engine' | 'setting'>): void {
    this.#of(member).answered += 1
  }

  failed(member: Pick<Member, 'engine' | 'setting'>): void {
    this.#of(member).failed += 1
  }

  /** Returns the metric of the counts. */
  metrics(): readonly Metric[] {
    return [
      {
        kind: 'counter',
        name: 'ninefold_observability_stack_requests_total',
        help: 'Requests of this server to the members of stacks, by outcome.',
        labels: ['engine', 'member', 'outcome'],
        read: () =>
          [...this.#counts.values()].flatMap(({ answered, failed, labels }) => [
            { labels: { ...labels, outcome: 'answered' }, value: answered },
            { labels: { ...labels, outcome: 'failed' }, value: failed },
          ]),
      },
    ]
  }

  #of({ engine, setting }: Pick<Member, 'engine' | 'setting'>): MemberCounts {
    const key = `${engine} ${setting}`
    const known = this.#counts.get(key)
    if (known) return known
    const made = { labels: { engine, member: setting.replace('_url', '') }, answered: 0, failed: 0 }
    this.#counts.set(key, made)
    return made
  }
}
