import type { Operation } from '../model/types.ts'
import { docComment } from './layout/comment.ts'

/**
 * Returns the comment of an operation: its summary, its method and path, and its description. Handler, route and client
 * method share it.
 */
export function operationComment(operation: Operation, indentation = 0): string {
  const text = [headOf(operation), operation.description].filter(Boolean).join('\n\n')
  return docComment(text, indentation, operation.deprecated)
}

/** Returns the comment in one line, for places near the full comment. */
export const shortComment = (operation: Operation, indentation = 0): string =>
  docComment(headOf(operation), indentation)

/** An operation's summary and place: "Gets a VM. `GET /v1/vms/{vm}`". */
export function headOf({ method, path, summary }: Operation): string {
  const place = `\`${method} ${path}\``
  return summary ? `${sentence(summary)} ${place}` : place
}

const sentence = (summary: string): string => (/[.!?]$/.test(summary.trim()) ? summary.trim() : `${summary.trim()}.`)
