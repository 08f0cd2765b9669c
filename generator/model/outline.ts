import type { Document, Model, Outline, Reaches } from './types.ts'
import { alwaysAnswered, answeredBy, reachedBy } from './views.ts'
import { formSchemas } from './form-schemas.ts'

/** Builds the outline of a document: the facts that the other documents and the joined files need. */
export function outlineOf(document: Document, model: Model): Outline {
  const { errors, name, operations, permissions, title } = document
  const own = new Set(errors.map(({ reason }) => reason))
  const raised = operations.flatMap(({ raises }) => raises ?? [])
  return {
    name,
    title,
    operations: operations.length,
    permissions: permissions.map(({ key }) => key),
    reasons: errors.map(({ code, reason }) => [reason, code]),
    raises: [...new Set(raised)].filter(reason => !own.has(reason)).sort(),
    reaches: reachesOf(document, model),
  }
}

function reachesOf({ operations, schemas }: Document, { documents }: Model): Reaches {
  const all = documents.flatMap(document => document.schemas)
  const own = new Set(schemas.map(({ id }) => id))
  const foreign = (ids: Iterable<string>): readonly string[] => [...ids].filter(id => !own.has(id)).sort()
  const reached = reachedBy(operations, all)
  return {
    input: foreign(reached.input),
    update: foreign(reached.update),
    answered: foreign(answeredBy(operations, all, alwaysAnswered(schemas, reached))),
    forms: foreign(formSchemas(operations, all)),
  }
}
