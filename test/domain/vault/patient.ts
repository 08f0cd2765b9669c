import { Ninefold } from '../../../output/client.ts'
import type { Member } from '../../areas/members.ts'
import type { TestPlatform } from '../../areas/test-platform.ts'

/**
 * Returns a member whose client repeats the calls that the server cannot take: a server on PostgreSQL that stalls on a
 * loaded machine for longer than its lease refuses calls with AUTHORIZATION_STALE for a moment, without any effect.
 */
export const patient = (platform: Pick<TestPlatform, 'from' | 'transport'>, member: Member): Member => ({
  ...member,
  api: new Ninefold(platform.transport(member.token, { retries: 10, fetch: platform.from('192.0.2.7') })),
})
