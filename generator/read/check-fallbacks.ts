import { messages } from '../diagnostics.ts'
import type { Checking } from './checking.ts'
import { member, members, positionOf } from './located.ts'
import { encodedLiteral, type FoundOperation } from './operations.ts'
import type { Located } from './types.ts'

/** A step of the paths of a document, by the segments of a path, in which each parameter is `{}`. */
interface Step {
  readonly next: Map<string, Step>
  /** The path that ends here. */
  path?: string
}

/**
 * Notes each literal path that also fits a template with other methods: a request with such a method goes to the
 * template (`DELETE /users/me` to `/users/{id}`).
 */
export function checkFallbacks(
  document: Located,
  operations: readonly FoundOperation[],
  { diagnostics }: Pick<Checking, 'diagnostics'>,
): void {
  const root: Step = { next: new Map() }
  const methodsOf = Map.groupBy(operations, ({ path }) => path)
  for (const path of methodsOf.keys()) {
    let step = root
    for (const segment of segmentsOf(path)) {
      const found = step.next.get(segment) ?? { next: new Map() }
      step.next.set(segment, found)
      step = found
    }
    step.path ??= path
  }
  for (const [path, at] of members(member(document, 'paths'))) {
    const own = new Set(methodsOf.get(path)?.map(({ method }) => method))
    for (const template of own.size > 0 ? fitting(root, path) : []) {
      const others = methodsOf.get(template)?.filter(({ method }) => !own.has(method)) ?? []
      const methods = others.map(({ method }) => method.toUpperCase())
      if (methods.length > 0) diagnostics.add(messages.pathFallback(methods, template), positionOf(at))
    }
  }
}

const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .map(segment => (segment.includes('{') ? segment.replace(/\{[^{}]*\}/g, '{}') : encodedLiteral(segment)))

/**
 * Returns the other paths that every request to a path fits, because they have parameters in the place of literals. A
 * segment with a parameter and more, such as `{id}:cancel`, counts as no literal: its paths are made to share a place.
 */
function fitting(root: Step, path: string): readonly string[] {
  const segments = segmentsOf(path)
  let steps = [root]
  for (const segment of segments) {
    steps = steps.flatMap(({ next }) =>
      (segment.includes('{') ? [segment] : [segment, '{}'])
        .map(name => next.get(name))
        .filter(step => step !== undefined),
    )
  }
  const own = segments.join('/')
  return steps.flatMap(({ path: other }) => (other === undefined || segmentsOf(other).join('/') === own ? [] : [other]))
}
