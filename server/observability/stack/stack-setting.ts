import type { MemberSetting } from './member.ts'

/** The setting of a stack. */
export type StackSetting = {
  readonly name: string
  readonly multi_tenant: boolean
} & { readonly [Setting in MemberSetting]?: string | undefined }
