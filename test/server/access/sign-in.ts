import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IamClient } from '../../../output/iam/client.ts'

/** The administrator of a platform that a test starts as `ninefold serve` does. */
export const administrator = { email: 'admin@localhost', password: 'a sentence nobody would guess' } as const

/**
 * Writes the administrator's password to a file in `folder`, and returns the path: the setting makes the administrator
 * ACTIVE at the first start.
 */
export function administratorFile(folder: string): string {
  const file = join(folder, 'administrator-password')
  writeFileSync(file, `${administrator.password}\n`, { mode: 0o600 })
  return file
}

/** Signs the administrator in; returns the access token, which is valid for 15 minutes. */
export async function signIn(baseUrl: string, fetched: typeof fetch = fetch): Promise<string> {
  const { access_token } = await new IamClient({ baseUrl, fetch: fetched }).authenticate({ body: administrator })
  return access_token
}
