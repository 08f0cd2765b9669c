import { setTimeout as sleep } from 'node:timers/promises'
import type { Ninefold } from '../../../output/client.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Tenant } from './guarded-platform.ts'

/** What is asked for. */
export const permission = 'taxonomy.workspaces.get'

/**
 * What a server says that its caller may in the workspace, `yes` or `no`, or the reason of its refusal; warm, it reads no
 * row for it.
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
