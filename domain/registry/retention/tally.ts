import type { RetentionCandidate, RetentionEvaluation } from '../../../output/registry/types.ts'
import type { Decision } from './decide.ts'
import type { Verdict } from './judge.ts'
import type { ArtifactFacts } from './match-rule.ts'
import type { Steps } from './steps.ts'

/** The sums of an evaluation of some repositories. */
export type Tally = Omit<RetentionEvaluation, 'time' | 'mode'>

/** The largest number of candidates of an evaluation, and of tags of a candidate. */
const shown = 100

export const nothing: Tally = {
  examined: 0,
  matched: 0,
  kept: 0,
  locked: 0,
  deleted: 0,
  reclaimable_bytes: 0,
  candidates: [],
}

/** Returns the sum of two tallies, with the candidates of the first one first. */
export const sumOf = (one: Tally, other: Tally): Tally => ({
  examined: one.examined + other.examined,
  matched: one.matched + other.matched,
  kept: one.kept + other.kept,
  locked: one.locked + other.locked,
  deleted: one.deleted + other.deleted,
  reclaimable_bytes: one.reclaimable_bytes + other.reclaimable_bytes,
  candidates: [...one.candidates, ...other.candidates].slice(0, shown),
})

/** An artifact that a DELETE rule matched, and what became of it. */
export interface Judged {
  readonly repository: string
  readonly artifact: Pick<ArtifactFacts, 'digest' | 'tags'>
  readonly verdict: Pick<Verdict, 'outcome' | 'ruleId' | 'tags'>
}

/** Returns a tally with one more artifact, whose verdict was carried out or not. The caller adds the bytes. */
export function counted(tally: Tally, { artifact, repository, verdict }: Judged, isDone: boolean): Tally {
  const { outcome, ruleId, tags } = verdict
  const candidate = (): RetentionCandidate => ({
    repository_id: repository,
    digest: artifact.digest,
    tags: (outcome === 'UNTAG' ? tags : artifact.tags).slice(0, shown),
    rule_id: ruleId,
    outcome: `REGISTRY_RETENTION_OUTCOME_${answered[outcome][isDone ? 'done' : 'dry']}`,
  })
  return {
    ...tally,
    matched: tally.matched + 1,
    kept: tally.kept + (outcome === 'KEPT' || outcome === 'IMMUTABLE' ? 1 : 0),
    locked: tally.locked + (outcome === 'LOCKED' ? 1 : 0),
    deleted: tally.deleted + (isDone && outcome === 'DELETE' ? 1 : 0),
    candidates: tally.candidates.length < shown ? [...tally.candidates, candidate()] : tally.candidates,
  }
}

const answered = {
  DELETE: { done: 'DELETED', dry: 'WOULD_DELETE' },
  UNTAG: { done: 'UNTAGGED', dry: 'WOULD_UNTAG' },
  KEPT: { done: 'KEPT', dry: 'KEPT' },
  LOCKED: { done: 'LOCKED', dry: 'LOCKED' },
  IMMUTABLE: { done: 'IMMUTABLE', dry: 'IMMUTABLE' },
} as const satisfies Record<Verdict['outcome'], { readonly done: string; readonly dry: string }>

/** Returns the tally of decisions about a repository, of which none was carried out. */
export function* talliedOf(repository: string, decisions: readonly Decision[]): Steps<Tally> {
  let tally = nothing
  for (const { artifact, ...verdict } of decisions) {
    yield
    tally = counted(tally, { repository, artifact, verdict }, false)
  }
  return tally
}
