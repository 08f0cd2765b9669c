/** Whether a segment of a template has a parameter. */
const isPattern = (segment: string): boolean => segment.includes('{')

/** Returns the length of a segment, in which each parameter counts as one character. */
const sizeOf = (segment: string): number => segment.replaceAll(/\{[^}]*\}/g, ' ').length

const rank = (segment: string): number => (isPattern(segment) ? sizeOf(segment) : Number.MAX_SAFE_INTEGER)

/** Compares the first segments that differ: a literal before a parameter, then the longer segment. */
function compare(one: string, other: string): number {
  const others = other.split('/')
  const differences = one.split('/').map((segment, index) => rank(others[index] ?? '') - rank(segment))
  return differences.find(difference => difference !== 0) ?? 0
}

/** Whether two templates first differ in a segment that has parameters in both, as `{id}:stop` and `{id}`. */
function differInPatterns(one: string, other: string): boolean {
  const others = other.split('/')
  const first = one.split('/').findIndex((segment, index) => rank(segment) !== rank(others[index] ?? ''))
  const [segment = '', beside = ''] = [one.split('/')[first], others[first]]
  return isPattern(segment) && isPattern(beside)
}

/**
 * Returns the groups of operations that a path fits, in the order of the attempts, up to the first group that `serves`
 * the method. A group is left out if an earlier group without the method differs from it only in its verb.
 */
export function attempts<Group extends { readonly template: string }>(
  fitting: readonly Group[],
  serves: (group: Group) => boolean,
): readonly Group[] {
  const tried: Group[] = []
  for (const group of fitting.toSorted((one, other) => compare(one.template, other.template))) {
    if (tried.some(({ template }) => differInPatterns(template, group.template))) continue
    tried.push(group)
    if (serves(group)) break
  }
  return tried
}
