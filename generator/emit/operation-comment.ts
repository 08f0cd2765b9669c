import type { Operation } from '../model/types.ts'
import { docComment } from './layout/comment.ts'

/**
 * Returns the comment of an operation: its summary, its method and path, and its description. The operation's route and
 * client method share this comment.
 */
export function operationComment(operation: Operation, indentation = 0): string {
  const text = [headOf(operation), operation.description].filter(Boolean).join('\n\n')
  return docComment(text, indentation, operation.deprecated)
}

/** Returns a comment with only the summary, the method and the path, for places near the full comment. */
export const shortComment = (operation: Operation, indentation = 0): string =>
  docComment(headOf(operation), indentation)

/** Returns an operation's summary, method and path: "Gets a VM. `GET /v1/vms/{vm}`". */
export function headOf({ method, path, summary }: Operation): string {
  const place = `\`${method} ${path}\``
  return summary ? `${sentence(summary)} ${place}` : place
}

const sentence = (summary: string): string => (/[.!?]$/.test(summary.trim()) ? summary.trim() : `${summary.trim()}.`)
