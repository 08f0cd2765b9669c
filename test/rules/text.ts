import { ts } from 'ts-morph'
import type { Finding, Source } from './source.ts'

/** Words that comments must not contain: work is either done or dropped. */
const commentWords = /\b(?:TODO|FIXME|XXX|HACK)\b|@ts-(?:ignore|nocheck)/

/** Finds comments that postpone work or silence the compiler. */
export function openComments(files: readonly Source[]): Finding[] {
  return files
    .filter(({ text }) => commentWords.test(text))
    .flatMap(({ path, text }) =>
      commentsOf(text).flatMap(({ start, comment }) => {
        const word = commentWords.exec(comment)?.[0]
        return word === undefined ? [] : [{ path, line: lineAt(text, start), message: `a comment says ${word}` }]
      }),
    )
}

/**
 * Returns the comments of a file from the gaps between its tokens, so that strings and regular expressions do not
 * count.
 */
function commentsOf(text: string): { readonly start: number; readonly comment: string }[] {
  const tree = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const found: { start: number; comment: string }[] = []
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(tree).filter(child => !ts.isJSDoc(child))
    if (children.length > 0) return children.forEach(visit)
    const end = node.getStart(tree, false)
    if (end > node.pos && node.end > node.pos) found.push({ start: node.pos, comment: text.slice(node.pos, end) })
  }
  visit(tree)
  return found
}

const machinePaths = /(?:^|[\s'"`(=:])(\/(?:home|Users|root|work)\/[\w.-]+|[A-Z]:\\Users\\)/m

/** Finds files with a path that exists on one machine only; reports the first path of a file. */
export function machineFiles(files: readonly Source[]): Finding[] {
  return files.flatMap(({ path, text }) => {
    const match = machinePaths.exec(text)
    if (match === null) return []
    return [{ path, line: lineAt(text, match.index + 1), message: `names a place of one machine, ${match[1] ?? ''}` }]
  })
}

/**
 * Finds hosts in a lock file. The lock file identifies packages by name, version and integrity; the settings of npm
 * determine the host.
 */
export function lockedHosts({ path, text }: Source): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const isHost = /"resolved":|"version": "(?:https?|git|file)\b/.test(line)
    return isHost ? [{ path, line: index + 1, message: 'names where a package was downloaded' }] : []
  })
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
