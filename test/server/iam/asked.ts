import { setTimeout as sleep } from 'node:timers/promises'
import type { Ninefold } from '../../../output/client.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Tenant } from '../../areas/members.ts'

/** The resource of the question. */
export const permission = 'taxonomy.workspaces.get'

/**
 * Returns a server's answer to a caller's question in the workspace, `yes` or `no`, or the reason of its refusal; a
 * warm server reads no row for it.
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

/** Asks again and again until there is the answer; all answers until then, each with when it was asked for. */
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
