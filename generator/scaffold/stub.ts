import { type FileStyle, printWidth } from './file-style.ts'
import type { NeededImports } from './imports.ts'
import type { HandlerMethod, ImportedSymbol, TypeText } from './interfaces.ts'

/**
 * Returns the code of a method that throws `unimplemented`, with the types of the interface. The names of its
 * parameters start with an underscore, because `noUnusedParameters` refuses other unused parameters.
 */
export function stub(
  method: HandlerMethod,
  unimplemented: ImportedSymbol,
  imports: NeededImports,
  style: FileStyle,
  indent: string,
): string {
  const parameters = method.parameters.map(({ name, type }) => `_${name}: ${typeOf(type, imports)}`)
  const returns = typeOf(method.returns, imports)
  const start = `${returns.startsWith('Promise<') ? 'async ' : ''}${method.name}`
  const thrown = `throw ${imports.local(unimplemented, false)}(${literal(method.operationId, style)})${style.semicolon}`
  const line = `${indent}${start}(${parameters.join(', ')}): ${returns} {`
  const head =
    line.length <= printWidth
      ? [line]
      : [
          `${indent}${start}(`,
          ...parameters.map(parameter => `${indent}${style.indent}${parameter},`),
          `${indent}): ${returns} {`,
        ]
  return [...head, `${indent}${style.indent}${thrown}`, `${indent}}`].join(style.newline)
}

function typeOf({ text, names }: TypeText, imports: NeededImports): string {
  const parts: string[] = []
  let from = 0
  for (const { start, name, symbol } of names) {
    parts.push(text.slice(from, start), imports.local(symbol, true))
    from = start + name.length
  }
  return [...parts, text.slice(from)].join('')
}

/**
 * Quotes an operation id as a string literal. The id comes from an untrusted document, so every special character is
 * escaped.
 */
function literal(text: string, { quote }: FileStyle): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return quote === '"' ? `"${escaped}"` : `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
