import type { Doc } from '../doc.ts'
import { annotated, arrayOf, generic, objectOf, type Type, typeCode } from '../type.ts'
import type { Tokens } from './tokens.ts'

/**
 * Reads a type: a name with or without arguments, a literal, an object, a list, a lookup, a union or an intersection.
 * Throws an `Error` for other code.
 */
export function readType(tokens: Tokens): Type {
  return operands('|', tokens, () => operands('&', tokens, () => readList(tokens)))
}

function operands(operator: '|' | '&', tokens: Tokens, read: () => Type): Type {
  tokens.accept(operator)
  const first = read()
  if (!tokens.is(operator)) return first
  const of = [first]
  while (tokens.accept(operator)) of.push(read())
  return { kind: operator === '|' ? 'union' : 'intersection', of }
}

function readList(tokens: Tokens): Type {
  let type = readOne(tokens)
  while (tokens.is('[') && tokens.peek(1).text === ']') {
    tokens.next()
    tokens.next()
    type = arrayOf(type)
  }
  return type
}

function readOne(tokens: Tokens): Type {
  const { kind, text } = tokens.next()
  if (text === '{') return objectOf(tokens.list([';', ',', ''], '}', () => readMember(tokens)))
  if (text === '(') return tokens.accept('typeof') ? readLookedUp(tokens) : readGrouped(tokens)
  if (text === 'readonly') return `readonly ${typeCode(readList(tokens))}`
  if (kind === 'mark' || kind === 'end') throw tokens.unexpected('a type')
  return tokens.accept('<') ? generic(text, ...tokens.list([','], '>', () => readType(tokens))) : text
}

function readGrouped(tokens: Tokens): Type {
  const type = readType(tokens)
  tokens.expect(')')
  return type
}

/** Reads a lookup such as `(typeof list)[number]['key']`, which stays on its line. */
function readLookedUp(tokens: Tokens): Type {
  let type = `(typeof ${tokens.next().text})`
  tokens.expect(')')
  while (tokens.accept('[')) {
    type += `[${tokens.next().text}]`
    tokens.expect(']')
  }
  return type
}

/** Reads a member: `readonly name?: Type`, `[name: string]: Type`. */
export function readMember(tokens: Tokens): Doc {
  const isModifier = tokens.is('readonly') && !/^[?:]$/.test(tokens.peek(1).text)
  const modifier = isModifier ? `${tokens.next().text} ` : ''
  const name = readKey(tokens)
  const mark = tokens.accept('?') ? '?:' : ':'
  tokens.expect(':')
  return annotated(`${modifier}${name}${mark}`, readType(tokens))
}

/** Reads the name of a member and returns its printed form: `name`, `'a-b'`, `['constructor']`, `[member: string]`. */
export function readKey(tokens: Tokens): string {
  if (!tokens.accept('[')) return tokens.next().text
  const name = tokens.next().text
  const type = tokens.accept(':') ? `: ${tokens.next().text}` : ''
  tokens.expect(']')
  return `[${name}${type}]`
}
