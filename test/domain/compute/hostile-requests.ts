import { setImmediate } from 'node:timers/promises'
import { baseUrl } from '../../areas/open-platform.ts'
import { modelOf } from '../../conformance/model.ts'
import type { TenantVms } from './tenant-vms.ts'

const { common, document } = await modelOf('compute')

/** The answer to a request: its status, its reason, which is empty for a success, and its text. */
export interface Answered {
  readonly status: number
  readonly reason: string
  readonly text: string
}

/** Sends a request that is written by hand, below the base path of the area. */
export type Send = (
  method: string,
  path: string,
  body?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answered>

/** Returns a sender for a caller. */
export const senderOf =
  ({ platform }: Pick<TenantVms, 'platform'>, token: string): Send =>
  async (method, path, body, more) => {
    // A call over a socket lets timers run too.
    await setImmediate()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
    const request = { method, headers, ...(body !== undefined && { body }) }
    const answer = await platform.from('192.0.2.9')(`${baseUrl}/compute/v1/${path}`, request)
    const text = await answer.text()
    return { status: answer.status, reason: /"reason":"(\w+)"/.exec(text)?.[1] ?? '', text }
  }

/** Whether an operation declares an answer: a success, one of its own reasons, or a common reason. */
export function isDeclared(operationId: string, { reason, status }: Answered): boolean {
  const raises = document.operations.find(({ id }) => id === operationId)?.raises ?? []
  const reasons = [...raises.map(each => each.replace(/^\w+\./, '')), ...common.map(each => each.reason)]
  return status === 200 || (status < 500 && reasons.includes(reason))
}

/** Returns a line for an answer that an operation does not declare, or nothing. */
export const faultOf = (operationId: string, value: unknown, answer: Answered): readonly string[] =>
  isDeclared(operationId, answer)
    ? []
    : [`${(JSON.stringify(value) ?? '').slice(0, 40)}: ${answer.status} ${answer.reason}`]

/** Waits for the end of an accepted change, and returns the id of its machine; undefined after a refusal. */
export async function settled(
  { ended }: Pick<TenantVms, 'ended'>,
  { status, text }: Answered,
): Promise<string | undefined> {
  if (status !== 200) return undefined
  const { id }: { readonly id: string } = JSON.parse(text)
  return (await ended({ id })).resource_id
}

/** Deletes a machine, also if it is protected. */
export async function remove({ api, ended, workspace }: TenantVms, id: string): Promise<void> {
  const body = { deletion_protection: false }
  await api.compute.updateVm({ workspace, id, update_mask: 'deletion_protection', body })
  await ended(await api.compute.deleteVm({ workspace, id }))
}
