import type { Content, Document, Schema } from './types.ts'
import { targetsOf, within } from './walk.ts'

/** The schemas of named schemas, keyed by id. */
type Schemas = ReadonlyMap<string, { readonly schema: Schema }>

/** Returns the JSON contents of successes that contain integers beyond 2^53, directly or by references. */
export function exactAnswers(documents: readonly Document[], schemas: Schemas): ReadonlySet<Content> {
  const ids = idsWithWide(schemas)
  const contents = documents.flatMap(({ operations }) =>
    operations.flatMap(({ successes }) => successes.flatMap(each => each.contents)),
  )
  const isExact = ({ kind, schema }: Content): boolean =>
    kind === 'json' && (isDirect(schema) || targetsOf(schema).some(id => ids.has(id)))
  return new Set(contents.filter(isExact))
}

/** Returns the ids of the schemas that contain such integers; each schema passes its mark on to its referrers. */
function idsWithWide(schemas: Schemas): ReadonlySet<string> {
  const referrers = new Map<string, string[]>()
  for (const [id, { schema }] of schemas) {
    for (const target of targetsOf(schema)) {
      const known = referrers.get(target)
      if (known) known.push(id)
      else referrers.set(target, [id])
    }
  }
  const pending = [...schemas].filter(([, { schema }]) => isDirect(schema)).map(([id]) => id)
  const found = new Set(pending)
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const referrer of referrers.get(id) ?? []) {
      if (found.has(referrer)) continue
      found.add(referrer)
      pending.push(referrer)
    }
  }
  return found
}

const isDirect = (schema: Schema): boolean => [...within(schema)].some(part => part.kind === 'number' && part.wide)
