import type { ErrorReason } from '../../generator/model/types.ts'
import { rpcCodes } from '../../runtime/errors.ts'
import { own } from '../../runtime/validation.ts'
import { code, table } from './markdown.ts'

/**
 * The number of codes in the common block. A smaller code is common to all areas; each area adds its own base to the
 * code (conventions §7).
 */
const commonCodes = 1000

/** Returns a table of reasons with the facts of `x-errors`; `base` is the number at which the area's codes begin. */
export function reasonTable(reasons: readonly ErrorReason[], base = 0): string {
  const rows = reasons.map(({ reason, code: number, rpc, description, metadata }) => [
    code(reason),
    String(number < commonCodes ? base + number : number),
    answerOf(rpc),
    [description, ...metadata.map(each => `<br>${code(each.name)}: ${each.description}`)].join(' '),
  ])
  return table(['Reason', 'Code', 'Answer', 'When, and its metadata'], rows)
}

function answerOf(rpc: string | undefined): string {
  if (rpc === undefined) return 'none: it stands in operations and resources'
  const statuses: Readonly<Record<string, number>> = rpcCodes
  return `${own(statuses, rpc) ?? ''} ${code(rpc)}`
}
