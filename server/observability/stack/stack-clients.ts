import type { MemberSetting } from './member.ts'
import { MemberClient } from './member-client.ts'
import type { RequestCounts } from './stack-counts.ts'
import type { StackSetting } from './stack-setting.ts'

/** Returns the client of a member of a stack; undefined without the member. */
export function memberClient(
  setting: StackSetting,
  member: MemberSetting,
  counts: RequestCounts,
): MemberClient | undefined {
  const url = setting[member]
  if (url === undefined) return undefined
  return new MemberClient({ engine: setting.name, setting: member, url, hasTenants: setting.multi_tenant }, counts)
}

/** Whether an address is that of the API of Jaeger, which has its version in the path. */
export const isJaeger = ({ member }: MemberClient): boolean => /\/api\/v3\/*$/.test(new URL(member.url).pathname)
