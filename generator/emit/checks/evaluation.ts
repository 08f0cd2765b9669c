import type { Schema } from '../../model/types.ts'
import type { CheckContext } from './check-context.ts'
import { schemaOf } from '../emission.ts'
import type { Doc } from '../layout/doc.ts'
import { array, object, property, quote } from '../layout/typescript.ts'

/** Returns the name of a function that checks one value of a schema. */
type FunctionOf = (schema: Schema, context: CheckContext) => string

/** The parts of a value that schemas evaluate; see `Evaluation` of runtime/applicators.ts. */
interface Evaluated {
  everyMember: boolean
  readonly members: Set<string>
  readonly patterns: Set<string>
  items: number
  readonly contained: string[]
  readonly cases: Doc[]
}

/**
 * Returns the code of the evaluation of the schemas that stand beside `unevaluatedProperties` or `unevaluatedItems`.
 * The schemas that apply to every value are joined; those of unions and conditions become cases with their checks.
 */
export function evaluationOf(
  { beside, parts }: Extract<Schema, { kind: 'unevaluated' }>,
  context: CheckContext,
  functionOf: FunctionOf,
): Doc {
  return new Evaluator(parts, functionOf).code(beside, context)
}

class Evaluator {
  readonly #parts: 'members' | 'items'
  readonly #functionOf: FunctionOf

  constructor(parts: 'members' | 'items', functionOf: FunctionOf) {
    this.#parts = parts
    this.#functionOf = functionOf
  }

  code(schemas: readonly Schema[], context: CheckContext): Doc {
    const found: Evaluated = {
      everyMember: false,
      members: new Set(),
      patterns: new Set(),
      items: 0,
      contained: [],
      cases: [],
    }
    for (const schema of schemas) this.#add(schema, found, context)
    const rows: Doc[] = []
    if (found.everyMember) rows.push('members: true as const')
    else if (found.members.size > 0) rows.push(property('members', array([...found.members].map(quote))))
    const patterns = [...found.patterns].map(pattern => context.hoisted.pattern(pattern, `${context.place}Member`))
    if (patterns.length > 0) rows.push(property('patterns', array(patterns)))
    if (found.items > 0) rows.push(property('items', String(found.items)))
    if (found.contained.length > 0) rows.push(property('contained', array(found.contained)))
    if (found.cases.length > 0) rows.push(property('cases', array(found.cases)))
    return object(rows)
  }

  #add(schema: Schema, found: Evaluated, context: CheckContext): void {
    const inner = (name: string): CheckContext => ({ ...context, place: `${context.place}${name}` })
    switch (schema.kind) {
      case 'ref':
        return this.#add(schemaOf(context.emission, schema.target).schema, found, context)
      case 'intersection':
        return schema.of.forEach(part => this.#add(part, found, context))
      case 'object':
        return this.#parts === 'members' ? members(schema, found) : undefined
      case 'array':
        return this.#parts === 'items' ? this.#items(schema, found, inner('Contained')) : undefined
      case 'union':
        return schema.of.forEach(part => this.#case(part, [part], [], found, inner('Case')))
      case 'conditional':
        return this.#case(schema.if, [schema.if, ...given(schema.then)], given(schema.else), found, inner('Case'))
      case 'dependent':
        return this.#case(having(schema), [schema.of], [], found, inner('Case'))
      case 'unevaluated':
        if (schema.parts === 'members') found.everyMember ||= this.#parts === 'members'
        else if (this.#parts === 'items') found.items = Infinity
    }
  }

  #items(schema: Extract<Schema, { kind: 'array' }>, found: Evaluated, context: CheckContext): void {
    found.items = Math.max(found.items, schema.isOpen ? (schema.prefix?.length ?? 0) : Infinity)
    if (schema.contains) found.contained.push(this.#functionOf(schema.contains.of, context))
  }

  #case(
    test: Schema,
    then: readonly Schema[],
    otherwise: readonly Schema[],
    found: Evaluated,
    context: CheckContext,
  ): void {
    const [fitting, other] = [this.code(then, context), this.code(otherwise, context)]
    if (isNothing(fitting) && isNothing(other)) return
    const rows = [property('if', this.#functionOf(test, context))]
    if (!isNothing(fitting)) rows.push(property('then', fitting))
    if (!isNothing(other)) rows.push(property('else', other))
    found.cases.push(object(rows))
  }
}

const given = (schema: Schema | undefined): readonly Schema[] => (schema ? [schema] : [])

const isNothing = (code: Doc): boolean => code === '{}'

function members(
  { additional, patterns = [], properties }: Extract<Schema, { kind: 'object' }>,
  found: Evaluated,
): void {
  if (additional !== 'open') found.everyMember = true
  for (const { name } of properties) found.members.add(name)
  for (const [pattern] of patterns) found.patterns.add(pattern)
}

/** Returns the schema of the objects that have the member of a dependent schema. */
const having = ({ name, position }: Extract<Schema, { kind: 'dependent' }>): Schema => ({
  kind: 'object',
  properties: [{ name, schema: { kind: 'any', position }, required: true, access: 'both', immutable: false }],
  additional: 'open',
  position,
})
