import type { Parameter, Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import type { OutputFile } from './file.ts'
import { int64Codec } from './int64/places.ts'
import { flat } from './layout/doc.ts'
import { quote } from './layout/typescript.ts'
import { FreeNames, pascal, word } from './names.ts'
import { isComposite, parameterType } from './parameter-type.ts'
import type { RuntimeSymbol } from './runtime-symbols.ts'
import type { ParameterView } from './views/routes.ts'

/** Collects the parameters of a document's operations. Equal parameters share one constant. */
export class ParameterConstants {
  readonly #emission: Emission
  readonly #file: OutputFile
  readonly #names: FreeNames
  readonly #views = new Map<string, ParameterView>()

  /** `taken` holds the other names of the file. The file must have recorded its other imports already. */
  constructor(emission: Emission, file: OutputFile, taken: readonly string[]) {
    this.#emission = emission
    this.#file = file
    this.#names = new FreeNames(new Set([...emission.taken, ...taken]))
  }

  /**
   * Returns the name of the constant of a parameter, made of the location and the name of the parameter:
   * `queryPageSize`.
   */
  nameOf(parameter: Parameter): string {
    const view = parameterView(parameter, this.#emission, this.#file)
    const key = JSON.stringify(view)
    const known = this.#views.get(key)
    if (known) return known.constant
    const constant = this.#free(`${parameter.in}${pascal(word(parameter.name))}`)
    this.#views.set(key, { constant, ...view })
    return constant
  }

  /** The template data of the parameters, in the order of their first use. */
  get views(): readonly ParameterView[] {
    return [...this.#views.values()]
  }

  #free(wanted: string): string {
    let name = this.#names.claim(wanted)
    while (this.#file.imports(name)) name = this.#names.claim(wanted)
    return name
  }
}

const writers = { path: 'toPath', query: 'toQuery', header: 'toHeader', cookie: 'toCookie' } as const

function writerOf(parameter: Parameter, isStyled: boolean, emission: Emission): RuntimeSymbol {
  const { allowReserved, in: place, schema, style } = parameter
  if (style === 'label' || style === 'matrix') return 'toPrefixed'
  if (allowReserved && style !== 'json') return 'toReserved'
  if (style === 'deepObject') return 'toDeep'
  if (place === 'header' && (isStyled || mayHaveBlanks(schema, emission))) return 'toSimpleHeader'
  return isStyled ? 'toStyled' : writers[place]
}

/** Whether a text may begin or end with a blank, which a header would lose. A pattern or a format describes the text. */
function mayHaveBlanks(schema: Schema, emission: Emission): boolean {
  const of = resolved(emission, schema)
  if (of.kind === 'string') return of.pattern === undefined && of.format === undefined
  return of.kind !== 'number' && of.kind !== 'boolean' && of.kind !== 'enum'
}

function parameterView(parameter: Parameter, emission: Emission, file: OutputFile): Omit<ParameterView, 'constant'> {
  const { explode, in: place, member: name, style } = parameter
  const isJson = style === 'json'
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  const isStyled = isJson || isComposite(parameter.schema, emission)
  return {
    name: quote(parameter.name),
    member: name === parameter.name ? '' : quote(name),
    in: quote(place),
    type: isJson ? quote(style) : flat(parameterType(parameter.schema, emission, style, true)),
    style: style === usual || isJson ? '' : quote(style),
    explode: explode === (style === 'form' || style === 'deepObject') || isJson ? '' : String(explode),
    json: isJson ? (int64Codec(parameter.schema, emission, file) ?? '') : '',
    allowEmpty: parameter.allowEmptyValue && !isJson ? 'true' : '',
    write: file.runtime(writerOf(parameter, isStyled, emission)),
  }
}
