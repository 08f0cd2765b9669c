import type { LabelSet } from '../../../../output/observability/types.ts'
import {
  selectorText,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'

/**
 * Returns selectors that together select all streams with the given labels, each stream once. A selector of Loki needs a
 * matcher that the empty text does not match: the label of the workspace, or else labels that the streams have.
 */
export function coveringSelectors(streams: readonly LabelSet[], workspace: LabelledWorkspace): readonly string[] {
  if (workspace !== undefined) return [selectorText([], workspace)]
  const selectors: string[] = []
  const used: string[] = []
  let left = streams
  while (left.length > 0) {
    const name = mostCommonName(left)
    // Loki has no stream without labels.
    if (name === undefined) break
    const others = used.map(each => ({ name: each, operator: '=', value: '' }) as const)
    selectors.push(selectorText([{ name, operator: '=~', value: '.+' }, ...others], workspace))
    used.push(name)
    left = left.filter(labels => !Object.hasOwn(labels, name))
  }
  return selectors
}

/** Returns the name that most of some label sets have, of several the first one in the order of texts. */
function mostCommonName(sets: readonly LabelSet[]): string | undefined {
  const counts = new Map<string, number>()
  for (const set of sets) for (const name of Object.keys(set)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const ordered = [...counts].toSorted(([one, count], [other, more]) => more - count || (one < other ? -1 : 1))
  return ordered[0]?.[0]
}
