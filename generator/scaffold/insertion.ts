import { SyntaxKind } from 'ts-morph'
import type { Edit } from './edit.ts'
import type { FileStyle } from './file-style.ts'
import type { Class } from './implementations.ts'

/**
 * Returns the indentation of a class's members: the indentation of the first member, or one level more than the class
 * if it has no member on its own line.
 */
export function memberIndent(of: Class, style: FileStyle): string {
  const text = of.getSourceFile().getFullText()
  const first = of.getMembers()[0]
  const own = first && indentAt(text, first.getStart(true))
  return own ?? (indentAt(text, of.getStart(true)) ?? '') + style.indent
}

/**
 * Returns the edit that inserts new methods after the last handler of the class, which keeps handlers together. Without
 * a handler, the methods follow the last member. The surrounding text does not change.
 */
export function insertion(of: Class, handlers: ReadonlySet<string>, stubs: readonly string[], style: FileStyle): Edit {
  const text = of.getSourceFile().getFullText()
  const { newline } = style
  const members = of.getMembersWithComments().filter(member => member.getKind() !== SyntaxKind.SemicolonClassElement)
  const named = of.getInstanceMembers().filter(member => handlers.has(member.getName() ?? ''))
  const anchor = named.at(-1) ?? members.at(-1)
  const open = of.getFirstChildByKindOrThrow(SyntaxKind.OpenBraceToken).getEnd()
  const end = anchor?.getEnd() ?? open
  const block = (anchor ? newline + newline : newline) + stubs.join(newline + newline)
  const rest = /^[^\r\n]*/.exec(text.slice(end))?.[0] ?? ''
  if (/^[ \t]*;?[ \t]*(?:\/\/.*|\/\*[^*]*\*\/[ \t]*)?$/.test(rest)) {
    return { start: end + rest.length, end: end + rest.length, text: block }
  }
  const gap = /^[ \t]*/.exec(rest)?.[0].length ?? 0
  return { start: end, end: end + gap, text: block + newline + (indentAt(text, of.getStart(true)) ?? '') }
}

/** Returns the white space before `position` on its line; undefined if other text precedes it. */
function indentAt(text: string, position: number): string | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const before = text.slice(start, position)
  return /^[ \t]*$/.test(before) ? before : undefined
}
