import { type Doc, group, ifBroken, indent, join, line, softline } from '../doc.ts'
import { annotated, layout } from '../type.ts'
import { array, call, hugging, isGroup, keyed, object } from '../typescript.ts'
import type { Tokens } from './tokens.ts'
import { readKey, readType } from './types.ts'

/** An expression with the facts that decide its layout in other expressions. */
export interface Expression {
  readonly doc: Doc
  readonly kind: 'object' | 'list' | 'function' | 'other'
  /** The number of members of an object or a list; 0 for other expressions. */
  readonly size: number
}

const other = (doc: Doc): Expression => ({ doc, kind: 'other', size: 0 })

/** Reads an expression: a literal, a name, a call, a function, an object or a list. Throws for other expressions. */
export function readExpression(tokens: Tokens): Expression {
  const value = readOperand(tokens)
  return tokens.accept('as') ? other([value.doc, ' as ', tokens.next().text]) : value
}

function readOperand(tokens: Tokens): Expression {
  const { kind, text } = tokens.peek()
  if (kind === 'comment') return other([`${tokens.next().text} `, readOperand(tokens).doc])
  if (text === '{') return readObject(tokens)
  if (text === '[') return readList(tokens)
  if (text === '<') return readFunction(tokens)
  if (text === '(') return isFunction(tokens) ? readFunction(tokens) : readAssignment(tokens)
  if (kind === 'text' || kind === 'number' || kind === 'expression') return other(tokens.next().text)
  return readCalls(tokens)
}

/** Reads an object such as `{ a: 1, b }`. An object with a line break after its brace stays broken. */
function readObject(tokens: Tokens): Expression {
  tokens.expect('{')
  const isOpen = tokens.peek().breaks > 0
  const members = tokens.list([','], '}', () => {
    const name = readKey(tokens)
    return tokens.accept(':') ? keyed(name, readExpression(tokens).doc) : name
  })
  return { doc: object(members, isOpen), kind: 'object', size: members.length }
}

/** Reads a list. A table (several objects or lists that each have more than one item) is broken. */
function readList(tokens: Tokens): Expression {
  tokens.expect('[')
  const items = tokens.list([','], ']', () => readExpression(tokens))
  const isTable = items.every(({ kind, size }) => size > 1 && kind === items[0]?.kind)
  const docs = items.map(({ doc }) => doc)
  return { doc: array(docs, items.length > 1 && isTable), kind: 'list', size: items.length }
}

/** Reads a name with its accesses and calls: `new Quota(a)`, `this.#transport`, `handlers['a-b'].get(request)`. */
function readCalls(tokens: Tokens): Expression {
  if (tokens.peek().kind !== 'word') throw tokens.unexpected('an expression')
  let callee = tokens.accept('new') ? `new ${tokens.next().text}` : tokens.next().text
  for (;;) {
    if (tokens.accept('.')) callee += `.${tokens.next().text}`
    else if (tokens.is('[')) callee += readKey(tokens)
    else break
  }
  return other(tokens.accept('(') ? readCall(callee, tokens) : callee)
}

function readCall(callee: string, tokens: Tokens): Doc {
  const args = tokens.list([','], ')', () => readExpression(tokens))
  const last = args.at(-1)
  const docs = args.map(({ doc }) => doc)
  const isHugged = last !== undefined && last.size > 0 && last.kind !== args.at(-2)?.kind && isGroup(last.doc)
  return isHugged && isGroup(last.doc) ? hugging(callee, docs.slice(0, -1), last.doc) : call(callee, docs)
}

/** Reads an assignment in parentheses, `(left ??= right)`. */
function readAssignment(tokens: Tokens): Expression {
  tokens.expect('(')
  const left = readExpression(tokens).doc
  tokens.expect('??=')
  const right = readExpression(tokens).doc
  tokens.expect(')')
  return other(group(['(', left, ' ??=', indent([line, right]), ')']))
}

/** Whether parentheses enclose parameters. An arrow or a type follows the parentheses of parameters. */
function isFunction(tokens: Tokens): boolean {
  let depth = 0
  for (let ahead = 0; ; ahead += 1) {
    const { kind, text } = tokens.peek(ahead)
    if (kind === 'end') return false
    if (text === '(') depth += 1
    if (text === ')') depth -= 1
    if (depth === 0) return /^(?:=>|:)$/.test(tokens.peek(ahead + 1).text)
  }
}

/**
 * Reads a function such as `(a: A, b) => value`. An object or a list begins on the line of the arrow; any other body
 * may begin below the arrow.
 */
function readFunction(tokens: Tokens): Expression {
  const parameters = [readTypeParameter(tokens), readParameters(tokens)]
  const result = tokens.accept(':') ? [': ', layout(readType(tokens))] : ''
  tokens.expect('=>')
  if (tokens.is('(') && tokens.peek(1).text === '{') return readObjectFunction([parameters, result, ' =>'], tokens)
  const { doc, kind } = readExpression(tokens)
  const body = kind === 'list' || kind === 'object' ? [' ', doc] : group(indent([line, doc]))
  return { doc: group([group([parameters, result, ' =>']), body]), kind: 'function', size: 0 }
}

/** Reads a function whose result is an object in parentheses. */
function readObjectFunction(head: Doc, tokens: Tokens): Expression {
  tokens.expect('(')
  const { doc } = readObject(tokens)
  tokens.expect(')')
  return { doc: group([group(head), ' (', doc, ')']), kind: 'function', size: 0 }
}

/** Reads a list of one type parameter, `<Name extends Other>`; returns '' without the list. */
function readTypeParameter(tokens: Tokens): string {
  if (!tokens.accept('<')) return ''
  const words: string[] = []
  while (!tokens.accept('>')) words.push(tokens.next().text)
  return `<${words.join(' ')}>`
}

/**
 * Reads parameters with their parentheses. Each parameter gets a line if the parameters are too long; a single pattern
 * breaks inside.
 */
export function readParameters(tokens: Tokens): Doc {
  tokens.expect('(')
  if (tokens.is('{')) {
    const pattern = readObject(tokens).doc
    const type = tokens.accept(':') ? [': ', layout(readType(tokens))] : ''
    tokens.expect(')')
    return ['(', pattern, type, ')']
  }
  const parameters = tokens.list([','], ')', () => readParameter(tokens))
  if (parameters.length === 0) return '()'
  return ['(', indent([softline, join([',', line], parameters)]), ifBroken(','), softline, ')']
}

/** Reads a parameter: `name`, `name?: Type`, `name: Type = value`. */
function readParameter(tokens: Tokens): Doc {
  const name = tokens.next().text
  const mark = tokens.accept('?') ? '?:' : ':'
  const typed = tokens.accept(':') ? annotated(`${name}${mark}`, readType(tokens)) : name
  return tokens.accept('=') ? [typed, ' = ', readExpression(tokens).doc] : typed
}
