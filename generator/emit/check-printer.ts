import {
  isNever,
  type Content,
  type NamedSchema,
  type Operation,
  type RequestBody,
  type Schema,
  type View,
} from '../model/types.ts'
import {
  chainOf,
  checkOf,
  enumSet,
  exemption,
  inMember,
  itemParameters,
  memberStatements,
  memberValue,
  valueStatement,
} from './check-statements.ts'
import type { CheckContext } from './checks/check-context.ts'
import { isStream } from './answer-type.ts'
import { type Emission } from './emission.ts'
import { alike } from './int64/values.ts'
import { itemName } from './media.ts'
import { camel, checkName, letters, pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import type { Hoisted } from './hoisted.ts'
import type { Doc } from './layout/doc.ts'
import { asArrow, asReturned, asStatement, either, type Logical } from './layout/logical.ts'
import { call, conditional, object, property, quote, signature } from './layout/typescript.ts'

/** The parameters that the body of a check uses. */
type Uses = 'both' | 'value' | 'faults' | 'nothing'

/** The maximal number of statements in a check function. */
const maxStatements = 250

/** Prints check functions. The functions for inline schemas follow the function that uses them. */
export class CheckPrinter {
  readonly #emission: Emission
  readonly #file: OutputFile
  readonly #hoisted: Hoisted
  #pending: (() => void)[] = []

  constructor(emission: Emission, file: OutputFile, hoisted: Hoisted) {
    this.#emission = emission
    this.#file = file
    this.#hoisted = hoisted
  }

  named(named: NamedSchema, view: View, name: string): void {
    const type = this.#file.from('types', name, true)
    const isClosed = view !== 'output' || (named.isSent && named.views.input === named.views.output)
    const context = { ...this.#context(view, camel(name)), isClosed }
    if (named.schema.kind === 'enum') this.#enum(named, name, type, context)
    else if (named.schema.kind === 'string') this.#text(named.schema, name, type, context)
    else this.#function(`export function ${checkName(name)}`, `value is ${type}`, named.schema, context)
    this.#flush()
  }

  /**
   * Prints the check of a request: of its parameters, then of its body. A separate check follows for the items of each
   * streamed body. The path of a fault in a structured body begins at the member of the body, without `body`.
   */
  request(operation: Operation): void {
    const { body, parameters, requestName } = operation
    const type = this.#file.from('types', requestName, true)
    const context = this.#context('input', camel(requestName))
    const statements = parameters.flatMap(({ member, name, required, schema }) => {
      const subject = { value: memberValue(member, this.#file), field: quote(name) }
      return valueStatement(subject, schema, required && schema.default === undefined, inMember(context, member))
    })
    if (body) statements.push(...this.#body(body, { ...context, view: body.view }))
    this.#print(`export function ${checkName(requestName)}`, `value is ${type}`, statements, this.#recordGuard())
    this.#flush()
    for (const content of body?.contents.filter(isStream) ?? []) {
      const name = itemName(operation, content, this.#emission)
      this.#function(
        `export function ${checkName(name)}`,
        'boolean',
        content.schema,
        this.#context('input', camel(name)),
      )
      this.#flush()
    }
  }

  #body({ content, contents, isTagged, required }: RequestBody, context: CheckContext): readonly Doc[] {
    const given = required ? call(this.#file.runtime('required'), ['value.body', "'body'", 'faults']) : undefined
    const inner = inMember(context, 'body')
    if (isTagged) {
      const rows = contents.map(each => property(each.type, this.#contentCheck(each, inner)))
      const judged = [this.#file.runtime('checkChoice'), '(value.body, faults, ', object(rows, true), ')']
      return [conditional([given ?? 'value.body !== undefined'], judged)]
    }
    const chain = contentChain('value.body', content, inner)
    const last = chain.at(-1)
    if (last === undefined) return given ? [given] : []
    const judged = exemption(content.schema, 'value.body', this.#file)?.judged ?? []
    const guards = [given ?? 'value.body !== undefined', ...judged, ...chain.slice(0, -1)]
    return [conditional(guards, last)]
  }

  /** Returns the source of a function that checks the content of one media type. */
  #contentCheck(content: Content, inner: CheckContext): Doc {
    const context = { ...inner, place: `${inner.place}${pascal(content.kind)}` }
    if (hasSchema(content) && isStructured(content.schema)) return checkOf(content.schema, context)
    const chain = contentChain('item', content, context)
    if (chain.length === 0) return '() => true'
    return asArrow(itemParameters(content.schema), either(exemption(content.schema, 'item', this.#file)?.passes, chain))
  }

  #enum(named: NamedSchema, name: string, type: string, context: CheckContext): void {
    const judged = call(this.#file.runtime('choice'), ['value', "''", 'faults', enumSet(named.id, context)])
    const passes = named.schema.nullable ? 'value === null' : undefined
    this.#returning(`export function ${checkName(name)}`, `value is ${type}`, either(passes, [judged]))
  }

  /** Prints the check of a named text. The caller of the check may give the field that faults name. */
  #text(schema: Extract<Schema, { kind: 'string' }>, name: string, type: string, context: CheckContext): void {
    const chain = chainOf({ value: 'value', field: 'field' }, schema, context)
    const body = either(exemption(schema, 'value', this.#file)?.passes, chain)
    this.#returning(`export function ${checkName(name)}`, `value is ${type}`, body, ["field = ''"])
  }

  #context(view: View, place: string): CheckContext {
    return {
      emission: this.#emission,
      file: this.#file,
      hoisted: this.#hoisted,
      view,
      isClosed: true,
      place,
      local: (schema, context) => this.#local(schema, context),
    }
  }

  #local(schema: Schema, context: CheckContext): string {
    const name = this.#file.claim(`check${pascal(context.place)}`)
    this.#pending.push(() => this.#function(`function ${name}`, 'boolean', schema, context))
    return name
  }

  #function(head: string, result: string, schema: Schema, context: CheckContext): void {
    if (schema.kind === 'object') this.#object(head, result, schema, context)
    else if (schema.kind === 'intersection') this.#intersection(head, result, schema, context)
    else {
      const chain = chainOf({ value: 'value', field: "''" }, schema, context)
      const body = either(exemption(schema, 'value', this.#file)?.passes, chain)
      this.#returning(head, result, body, [], isNever(schema) ? 'faults' : usesOf(body))
    }
  }

  #object(head: string, result: string, schema: Extract<Schema, { kind: 'object' }>, context: CheckContext): void {
    const statements = this.#short(memberStatements(schema, context), 'Record<string, unknown>', context)
    const acceptsAll = schema.implied && statements.length === 0
    this.#print(head, result, statements, acceptsAll ? undefined : this.#recordGuard(schema.implied), schema.nullable)
  }

  /**
   * Returns the statements of a function. Many statements move to further functions, because TypeScript refuses to follow
   * the flow of a long function.
   */
  #short(statements: readonly Doc[], type: string, context: CheckContext): readonly Doc[] {
    if (statements.length <= maxStatements) return statements
    const parts = Array.from({ length: Math.ceil(statements.length / maxStatements) }, (_, i) =>
      statements.slice(i * maxStatements, (i + 1) * maxStatements),
    )
    return parts.map(part => {
      const name = this.#file.claim(`check${pascal(context.place)}Members`)
      const parameters = [`value: ${type}`, `faults: ${this.#file.runtime('Faults')}`]
      this.#pending.push(() => {
        this.#file.block(signature(`function ${name}`, parameters, 'void'), () =>
          part.forEach(each => this.#file.print(each)),
        )
        this.#file.blank()
      })
      return call(name, ['value', 'faults'])
    })
  }

  #recordGuard(passesOthers = false): string {
    const answer = passesOthers ? 'true' : "faults.add('', 'must be an object')"
    return `if (!${this.#file.runtime('isRecord')}(value)) return ${answer}`
  }

  #intersection(
    head: string,
    result: string,
    schema: Extract<Schema, { kind: 'intersection' }>,
    context: CheckContext,
  ): void {
    const statements = alike(schema.of, this.#emission).flatMap((branch, i) => {
      const chain = chainOf({ value: 'value', field: "''" }, branch, {
        ...context,
        place: `${context.place}Part${letters(i)}`,
      })
      const passes = exemption(branch, 'value', this.#file)?.passes
      return chain.length === 0 ? [] : [asStatement(either(passes, chain))]
    })
    this.#print(head, result, statements, undefined, schema.nullable)
  }

  #returning(
    head: string,
    result: string,
    body: Doc | Logical,
    further: readonly string[] = [],
    uses = usesOf(body),
  ): void {
    this.#block(head, result, () => this.#file.print(asReturned(body)), further, uses)
  }

  #print(head: string, result: string, statements: readonly Doc[], guard?: string, nullable?: boolean): void {
    const file = this.#file
    const isIdle = statements.length === 0 && !guard?.includes('faults')
    const uses = !isIdle ? 'both' : guard === undefined && !nullable ? 'nothing' : 'value'
    const body = (): void => {
      if (nullable) file.print('if (value === null) return true')
      if (guard !== undefined) file.print(guard)
      if (statements.length === 0) return file.print('return true')
      file.print('const before = faults.count')
      for (const statement of statements) file.print(statement)
      file.print('return faults.count === before')
    }
    this.#block(head, result, body, [], uses)
  }

  /** Prints a check function. A parameter that its body does not use has a name that compilers let pass. */
  #block(head: string, result: string, body: () => void, further: readonly string[], uses: Uses): void {
    const value = uses === 'both' || uses === 'value' ? 'value' : '_value'
    const faults = uses === 'both' || uses === 'faults' ? 'faults' : '_faults'
    const parameters = [`${value}: unknown`, `${faults}: ${this.#file.runtime('Faults')}`, ...further]
    this.#file.block(signature(head, parameters, result.replace(/^value\b/, value)), body)
    this.#file.blank()
  }

  /** Prints the pending local functions; a local function may add further pending functions. */
  #flush(): void {
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) next()
  }
}

const usesOf = (body: Doc | Logical): Uses => (body === 'true' ? 'nothing' : 'both')

/**
 * Whether the check of a request checks a content by its schema. Bytes are not checked. In a stream, the runtime checks
 * each item on its arrival instead of the whole body.
 */
const hasSchema = (content: Content): boolean => content.kind !== 'bytes' && !isStream(content)

const contentChain = (value: string, content: Content, context: CheckContext): readonly Doc[] =>
  hasSchema(content)
    ? chainOf({ value, field: isStructured(content.schema) ? "''" : "'body'" }, content.schema, context)
    : []

/** Whether the paths of faults in a body begin at the members of the body, without `body`. */
const isStructured = ({ kind }: Schema): boolean =>
  kind === 'ref' || kind === 'object' || kind === 'intersection' || kind === 'union'
