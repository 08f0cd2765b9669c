import { type Doc, group, hang, print } from '../doc.ts'
import { aliased, constant, layout } from '../type.ts'
import { readExpression, readParameters } from './expressions.ts'
import { Tokens } from './tokens.ts'
import { readKey, readMember, readType } from './types.ts'

/**
 * Formats code as prettier would, whatever line breaks the code has. The code is that of built-in templates: constants,
 * type aliases, interfaces and classes. As in prettier, an object with a line break after its brace stays broken, and
 * blank lines stay. Throws an `Error` for other code.
 */
export function layOut(code: string): string {
  const tokens = new Tokens(code)
  const out: string[] = []
  let isFirst = true
  while (tokens.peek().kind !== 'end') {
    if (!isFirst && tokens.peek().breaks > 1) out.push('\n')
    isFirst = false
    out.push(readStatement(tokens), '\n')
  }
  return out.join('')
}

function readStatement(tokens: Tokens): string {
  if (tokens.peek().kind === 'comment') return comment(tokens.next().text, 0)
  if (tokens.is('import')) return readImport(tokens)
  const prefix = tokens.accept('export') ? 'export ' : ''
  const { text } = tokens.next()
  const name = tokens.next().text
  if (text === 'const') return print(readConstant(`${prefix}const ${name}`, tokens))
  if (text === 'type') {
    tokens.expect('=')
    return print(aliased(name, readType(tokens)))
  }
  return readBlock(`${prefix}${text} ${name} {`, 0, tokens, () =>
    text === 'class' ? readClassMember(tokens) : print(readMember(tokens), 2),
  )
}

function readConstant(head: string, tokens: Tokens): Doc {
  const type = tokens.accept(':') ? readType(tokens) : undefined
  tokens.expect('=')
  const { doc, kind } = readExpression(tokens)
  if (type !== undefined) return constant(head, type, doc)
  if (kind === 'function') return [`${head} = `, doc]
  return group([`${head} =`, hang(doc)])
}

/** Reads an import statement, which stays on its line. */
function readImport(tokens: Tokens): string {
  let text = tokens.next().text
  while (tokens.peek().kind !== 'end' && tokens.peek().breaks === 0) {
    text += tokens.is(',') ? tokens.next().text : ` ${tokens.next().text}`
  }
  return text
}

/** Reads the members or statements of a block in braces at indentation `level`, each on separate lines. */
function readBlock(head: string, level: number, tokens: Tokens, read: () => string): string {
  tokens.expect('{')
  const pad = ' '.repeat(level)
  let text = head
  for (let isFirst = true; !tokens.accept('}'); isFirst = false) {
    const isApart = !isFirst && tokens.peek().breaks > 1
    const item = tokens.peek().kind === 'comment' ? comment(tokens.next().text, level + 2) : read()
    text += `${isApart ? '\n' : ''}\n${pad}  ${item}`
  }
  return `${text}\n${pad}}`
}

/** Reads a member of a class: a field, a constructor, a getter or a method. */
function readClassMember(tokens: Tokens): string {
  const isGetter = tokens.is('get') && tokens.peek(1).text !== '('
  if (!isGetter && !isCalled(tokens)) return print(readMember(tokens), 2)
  const prefix = isGetter ? `${tokens.next().text} ` : ''
  const name = readKey(tokens)
  const parameters = readParameters(tokens)
  const result = tokens.accept(':') ? [': ', group(layout(readType(tokens)))] : ''
  const head = print([group([prefix, name, parameters, result]), ' {'], 2)
  return readBlock(head, 2, tokens, () => readAction(tokens))
}

/** Whether the next tokens are a name with parameters. */
function isCalled(tokens: Tokens): boolean {
  return tokens.peek(tokens.is('[') ? 3 : 1).text === '('
}

/** Reads the statement `return value` or `place = value`. */
function readAction(tokens: Tokens): string {
  if (tokens.accept('return')) return print(['return ', readExpression(tokens).doc], 4)
  const place = readExpression(tokens).doc
  tokens.expect('=')
  return print(group([place, ' =', hang(readExpression(tokens).doc)]), 4)
}

/** Returns a comment whose further lines have the indentation `level`, like the first line. */
function comment(text: string, level: number): string {
  if (!text.includes('\n')) return text
  const [first = '', ...rows] = text.split('\n')
  return [first.trimEnd(), ...rows.map(row => `${' '.repeat(level)} ${row.trim()}`)].join('\n')
}
