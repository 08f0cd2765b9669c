import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccessTokens } from '../../../../domain/iam/sessions/access-tokens.ts'
import { SigningKeys } from '../../../../domain/iam/sessions/signing-keys.ts'
import type { WireRequest } from '../../../../runtime/wire.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { openIam } from '../../../../server/iam/open.ts'
import { openStore } from '../../../../server/platform-store.ts'
import { baseUrl, openPlatform } from '../../../areas/open-platform.ts'
import { administratorFile, signIn } from '../../../server/access/sign-in.ts'
import { measure } from '../rounds.ts'
import { printGroup } from '../table.ts'

const hourMs = 3_600_000

/** Prints the CPU time of an admitted read and of refused reads, in this process. */
export async function printRefusalCosts(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-refusals-'))
  const config = { dataDir, bootstrap: { adminPasswordFile: administratorFile(dataDir) } }
  const platform = await openPlatform({ config, areas, openAccess: openIam })
  try {
    const token = await signIn(baseUrl, platform.from('192.0.2.7'))
    const tokens = [
      ['admitted', token],
      ['with a token that has expired', await expiredToken(dataDir)],
      ['with a token whose signature is wrong', token.replace(/.{6}$/, 'AAAAAA').replace(/.$/, 'A')],
      ['without a token', ''],
    ] as const
    const contenders = tokens.map(([name, authorization]) => {
      const request: WireRequest = {
        method: 'GET',
        target: '/iam/v1/users/me',
        headers: { host: 'a', ...(authorization !== '' && { authorization: `Bearer ${authorization}` }) },
        body: undefined,
        signal: new AbortController().signal,
        clientAddress: '192.0.2.7',
      }
      return { name, units: 1, run: () => platform.dispatch(request) }
    })
    const times = await measure(contenders)
    printGroup(
      'getMyProfile',
      contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN]),
    )
  } finally {
    await platform.close()
    rmSync(dataDir, { recursive: true })
  }
}

/** Returns a token that the platform's own key has signed and that expired 45 minutes ago. */
async function expiredToken(dataDir: string): Promise<string> {
  const store = await openStore({ dataDir }, areas)
  const clock = createClock()
  const tokens = new AccessTokens(new SigningKeys({ store, clock }), { baseUrl })
  await tokens.ready()
  const id = clock.newId()
  const token = tokens.mint({ kind: 'USER', principalId: id, sessionId: id }, Date.now() - hourMs)
  await store.close()
  return token
}
