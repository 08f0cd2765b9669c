import type { Finding } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import type { AnyKind } from './kind.ts'
import { references, type Target } from './references.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Yields the contradictions between the table of references and the rows of all kinds (conventions §3). Each reference
 * in a member of a row must be recorded and have an existing target, and each recorded reference must have an existing
 * holder and target.
 */
export async function* inspectReferences(reader: Reader, kinds: readonly AnyKind[]): Findings {
  const byType = new Map(kinds.map(kind => [kind.type, kind]))
  for (const kind of kinds) yield* inspectUses(reader, kind, byType)
  for await (const { id, value } of reader.each(references)) {
    const ends = [
      ['holder', { type: value.holder_type, id: value.holder_id }],
      ['target', { type: value.target_type, id: value.target_id }],
    ] as const
    for (const [end, row] of ends) {
      if (await exists(reader, byType, row)) continue
      const message = `has the ${end} ${row.type} ${row.id}, which does not exist; the reference must be deleted too`
      yield { resourceType: 'ninefold.references', id, message }
    }
  }
}

async function* inspectUses(reader: Reader, kind: AnyKind, byType: ReadonlyMap<string, AnyKind>): Findings {
  for await (const { holder, target } of kind.uses(reader)) {
    if (!(await exists(reader, byType, target))) {
      const message = `names ${target.type} ${target.id}, which does not exist`
      yield { resourceType: kind.type, id: holder.id, message }
    }
    const where = { holder_type: holder.type, holder_id: holder.id, target_type: target.type, target_id: target.id }
    if (await reader.exists(references, where)) continue
    const message = `uses ${target.type} ${target.id} without a reference, so that this could be deleted`
    yield { resourceType: kind.type, id: holder.id, message }
  }
}

/**
 * Returns whether a row exists. A type without a kind belongs to an area that is not mounted; its rows count as
 * existing, because they cannot be checked.
 */
async function exists(reader: Reader, byType: ReadonlyMap<string, AnyKind>, { id, type }: Target): Promise<boolean> {
  const kind = byType.get(type)
  return kind === undefined || (await kind.facts(reader, id)) !== undefined
}
