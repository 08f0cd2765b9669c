/** Returns the given ids and the ids of all schemas that refer to them, directly or through other schemas. */
export function withReferrers(
  ids: Iterable<string>,
  referrers: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set(ids)
  for (const id of found) for (const referrer of referrers.get(id) ?? []) found.add(referrer)
  return found
}

/** Adds a referrer to the list of a target. */
export function addReferrer(referrers: Map<string, string[]>, target: string, id: string): void {
  const known = referrers.get(target)
  if (known) known.push(id)
  else referrers.set(target, [id])
}
