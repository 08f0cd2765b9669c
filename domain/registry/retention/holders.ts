import type { ArtifactFacts } from './match-rule.ts'
import type { Steps } from './steps.ts'

/** Returns the digests whose artifacts, while they are present, hold an artifact. */
type Holders = (artifact: ArtifactFacts) => readonly string[]

/** An artifact is held by the indexes that list it, and by its subject. */
const holdersOf: Holders = ({ parents, subject }) => (subject === '' ? parents : [...parents, subject])

/**
 * Returns those of the `doomed` artifacts that must stay, because an artifact that stays holds them, directly or through
 * others. Takes time in proportion to the artifacts and the holds.
 */
export function* rescued(
  artifacts: readonly ArtifactFacts[],
  doomed: ReadonlyMap<string, ArtifactFacts>,
): Steps<ReadonlySet<string>> {
  const held = yield* heldBy(doomed.values(), holdersOf)
  const staying: string[] = []
  for (const { digest } of artifacts) {
    yield
    if (!doomed.has(digest) && held.has(digest)) staying.push(digest)
  }
  const found = new Set<string>()
  for (let digest = staying.pop(); digest !== undefined; digest = staying.pop())
    for (const other of held.get(digest) ?? []) {
      yield
      if (found.has(other.digest)) continue
      found.add(other.digest)
      staying.push(other.digest)
    }
  return found
}

/**
 * Returns artifacts in an order of deletion: each one after those that hold it. Artifacts that hold each other in a
 * circle, which needs a subject, come last with all that they hold, each child still after its indexes.
 */
export function* deletionOrder(dying: readonly ArtifactFacts[]): Steps<readonly ArtifactFacts[]> {
  const ordered = yield* orderedBy(dying, holdersOf)
  if (ordered.length === dying.length) return ordered
  const done = new Set<ArtifactFacts>()
  for (const artifact of ordered) yield void done.add(artifact)
  const circular: ArtifactFacts[] = []
  for (const artifact of dying) {
    yield
    if (!done.has(artifact)) circular.push(artifact)
  }
  for (const artifact of yield* orderedBy(circular, ({ parents }) => parents)) yield void ordered.push(artifact)
  return ordered
}

/** Returns the artifacts that can be put after all of their holders (Kahn's algorithm). */
function* orderedBy(artifacts: readonly ArtifactFacts[], holders: Holders): Steps<ArtifactFacts[]> {
  const held = yield* heldBy(artifacts, holders)
  const waits = new Map<ArtifactFacts, number>()
  for (const { digest } of artifacts)
    for (const other of held.get(digest) ?? []) yield void waits.set(other, (waits.get(other) ?? 0) + 1)
  const ordered: ArtifactFacts[] = []
  for (const artifact of artifacts) {
    yield
    if (!waits.has(artifact)) ordered.push(artifact)
  }
  // The list grows while it is read.
  for (const { digest } of ordered)
    for (const other of held.get(digest) ?? []) {
      yield
      const left = (waits.get(other) ?? 0) - 1
      waits.set(other, left)
      if (left === 0) ordered.push(other)
    }
  return ordered
}

/** Returns the artifacts that each digest holds. */
function* heldBy(
  artifacts: Iterable<ArtifactFacts>,
  holders: Holders,
): Steps<ReadonlyMap<string, readonly ArtifactFacts[]>> {
  const held = new Map<string, ArtifactFacts[]>()
  for (const artifact of artifacts)
    for (const holder of holders(artifact)) {
      yield
      const others = held.get(holder)
      if (others) others.push(artifact)
      else held.set(holder, [artifact])
    }
  return held
}
