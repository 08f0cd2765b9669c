import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { agenda, type AgendaKind } from './agenda.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that work is due at the time of a resource, or later if the work was postponed. */
export async function* inspectDue(
  reader: Reader,
  kind: AgendaKind,
  id: string,
  time: string | undefined,
  finding: (message: string) => Finding,
): Findings {
  const due = (await reader.get(agenda, `${kind}/${id}`))?.value.due_time
  if (time === undefined ? due === undefined : due !== undefined && Date.parse(due) >= Date.parse(time)) return
  yield finding(`has the time ${time ?? 'none'} for ${kind}, and the agenda has ${due ?? 'none'}`)
}
