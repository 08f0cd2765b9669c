import { setImmediate } from 'node:timers/promises'
import { answered, declaredBy, type Answered } from '../../areas/declared-answers.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import type { TenantVms } from './tenant-vms.ts'

/** Sends a request without a generated client. `path` begins after the base path of the area. */
export type Send = (
  method: string,
  path: string,
  body?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answered>

/** Returns a sender whose requests have this token. */
export const senderOf =
  ({ platform }: Pick<TenantVms, 'platform'>, token: string): Send =>
  async (method, path, body, more) => {
    // Without a socket, a series of calls would not let timers run.
    await setImmediate()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
    const request = { method, headers, ...(body !== undefined && { body }) }
    return answered(await platform.from('192.0.2.9')(`${baseUrl}/compute/v1/${path}`, request))
  }

/** Whether an operation of compute declares a response. */
export const isDeclared = await declaredBy('compute')

/** Returns a line about a response that the operation does not declare; empty for a declared response. */
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

/** Deletes a machine, even if the machine is protected. */
export async function remove({ api, ended, workspace }: TenantVms, id: string): Promise<void> {
  const body = { deletion_protection: false }
  await api.compute.updateVm({ workspace, id, update_mask: 'deletion_protection', body })
  await ended(await api.compute.deleteVm({ workspace, id }))
}
