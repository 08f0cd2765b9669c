import { setTimeout as sleep } from 'node:timers/promises'
import type { Ninefold } from '../../../output/client.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Tenant } from '../../areas/members.ts'

/** The permission that `askedAt` asks about. */
export const permission = 'taxonomy.workspaces.get'

/**
 * Asks a server whether the caller has `permission` in the workspace. Returns `yes` or `no`, or the reason of the error
 * if the server refuses the request. A server with a warm cache reads no row for this request.
 */
export async function askedAt(api: Ninefold, { workspace: scope_id }: Tenant): Promise<string> {
  try {
    const scope = { scope_type: 'WORKSPACE', scope_id } as const
    const { permissions } = await api.iam.testMyPermissions({ ...scope, body: { permissions: [permission] } })
    return permissions.includes(permission) ? 'yes' : 'no'
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}

/**
 * Repeats `ask` every 20 ms until it returns `wanted`. Returns all answers, each with the `performance.now()` of its
 * request; throws if `wanted` does not come within `limitMs`.
 */
export async function answersUntil(wanted: string, ask: () => Promise<string>, limitMs = 30_000) {
  const answers: { readonly asked: number; readonly answer: string }[] = []
  for (const until = performance.now() + limitMs; performance.now() < until;) {
    const asked = performance.now()
    const answer = await ask()
    answers.push({ asked, answer })
    if (answer === wanted) return answers
    await sleep(20)
  }
  throw new Error(`the last of ${answers.length} answers was ${answers.at(-1)?.answer}, not ${wanted}`)
}
